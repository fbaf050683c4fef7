// Sweeps: lists of overrides, each one variant of an experiment, defined beside the config.
//
//   static std::vector<Dict> sweep() { return {{{"seed", 1}}, {{"seed", 2}}}; }
//   KONFIG_SWEEP(sweep)                   // kd config sweep --cfg=...
//   KONFIG_SWEEP(sweep_lr)                // kd config sweep --cfg=... lr
//   KONFIG_SWEEP("size", make_sizes)      // the same as a function named sweep_size
//
// The keys of an item are override paths ("optimizer.learning_rate"), as in --cfg.PATH=value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "konfig/register.h"
#include "konfig/value.h"

namespace konfig {

using SweepItems = std::vector<Dict>;
using SweepFunction = SweepItems (*)();

// `owner` is the config the sweep belongs to. "sweep" and "sweep_lr" stay, "my::ns::lr" and "lr"
// become "sweep_lr".
bool register_sweep(std::string owner, std::string_view name, SweepFunction function);
// By name: "sweep", "sweep_lr".
std::map<std::string, SweepFunction> find_sweeps(std::string_view owner);

// While it lives, sweeps that this thread loads from config files belong to `owner`.
class SweepOwner {
 public:
  explicit SweepOwner(std::string owner);
  ~SweepOwner();
  SweepOwner(const SweepOwner&) = delete;
  SweepOwner& operator=(const SweepOwner&) = delete;
  static std::string current();

 private:
  std::string previous_;
};

namespace detail {

SweepItems sweep_items(const List& items);  // each is to be a Dict
inline SweepItems sweep_items(SweepItems items) { return items; }

template <auto Function>
SweepItems run_sweep() {
  using Result = decltype(Function());
  static_assert(std::is_same_v<Result, SweepItems> || std::is_same_v<Result, List>,
                "a sweep function returns std::vector<konfig::Dict>");
  return sweep_items(Function());
}

}  // namespace detail
}  // namespace konfig

#ifdef KONFIG_BUILTIN_NAME
#define KONFIG_SWEEP_OWNER_ KONFIG_BUILTIN_NAME
#else
#define KONFIG_SWEEP_OWNER_ konfig::SweepOwner::current()
#endif
#define KONFIG_SWEEP_2(name, function) \
  KONFIG_RUN(                          \
      konfig::register_sweep(KONFIG_SWEEP_OWNER_, name, &konfig::detail::run_sweep<&function>));
#define KONFIG_SWEEP_1(function) KONFIG_SWEEP_2(#function, function)
#define KONFIG_SWEEP_PICK_(_1, _2, chosen, ...) chosen
#define KONFIG_SWEEP(...) \
  KONFIG_SWEEP_PICK_(__VA_ARGS__, KONFIG_SWEEP_2, KONFIG_SWEEP_1, ~)(__VA_ARGS__)
