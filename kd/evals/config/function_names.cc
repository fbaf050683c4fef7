// The names of functions in evaluators, so that configs resolve without libtorch. The functions
// come with the engine.
#include "konfig/registry.h"

namespace {

[[maybe_unused]] const bool kNamed = [] {
  for (const char* name : {"kauldron.kd:contrib.evals.default_stop_after_steps_schedule_fn",
                           "kauldron.kd:contrib.evals.linear_stop_after_steps_schedule_fn"}) {
    konfig::register_symbol({.qualname = name});
  }
  return true;
}();

}  // namespace
