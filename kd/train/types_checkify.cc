// The groups of checks that configs name, as JAX calls them.
#include "konfig/konfig.h"

namespace kd::train {
namespace {

using Names = std::vector<std::string>;

bool register_checks() {
  const std::pair<const char*, Names> groups[] = {{"nan_checks", {"nan"}},
                                                  {"div_checks", {"div"}},
                                                  {"float_checks", {"nan", "div"}},
                                                  {"index_checks", {"index"}},
                                                  {"user_checks", {"user"}},
                                                  {"automatic_checks", {"nan", "div", "index"}},
                                                  {"all_checks", {"nan", "div", "index", "user"}}};
  for (auto& [name, checks] : groups) {
    konfig::detail::register_constant(std::string("jax.experimental.checkify:") + name, checks);
  }
  return true;
}

}  // namespace
}  // namespace kd::train
KONFIG_RUN(kd::train::register_checks());
