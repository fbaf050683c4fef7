#include "base/clock.h"

#include <chrono>

namespace base {

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace base
