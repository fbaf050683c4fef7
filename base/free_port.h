// A TCP port of this machine that nothing listens on.
#pragma once

namespace base {

// Free when asked: whoever uses it should do so at once. 0 when none can be had.
int free_port();

}  // namespace base
