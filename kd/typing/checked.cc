// The switch of all checks.
#include "kd/typing/checked.h"

namespace kd::typing {

std::atomic<bool> detail::is_on = true;

void set_enabled(bool on) { detail::is_on = on; }

}  // namespace kd::typing
