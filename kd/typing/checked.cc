// The switch of all checks, and the call under way.
#include "kd/typing/checked.h"

#include "konfig/error.h"

namespace kd::typing {

std::atomic<bool> detail::is_on = true;

void set_enabled(bool on) { detail::is_on = on; }

const Scope& detail::scope_of_shape(std::string_view spec) {
  if (const Scope* scope = Scope::current()) return *scope;
  throw konfig::Error(konfig::ErrorKind::value,
                      "shape<\"" + std::string(spec) + "\">: no checked call is under way" +
                          (enabled() ? "; use it within a function that typing::checked calls"
                                     : ", since checks are turned off"));
}

}  // namespace kd::typing
