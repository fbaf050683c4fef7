// Waiting, for executors that have nothing better.
#include "kxm/executor.h"

#include <poll.h>

namespace kxm {

void wait_for(int wake, std::chrono::milliseconds longest) {
  pollfd file = {wake, POLLIN, 0};
  ::poll(&file, 1, static_cast<int>(longest.count()));
}

}  // namespace kxm
