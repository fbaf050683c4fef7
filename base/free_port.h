// TCP ports of this machine that nothing listens on.
#pragma once

#include <vector>

namespace base {

// Several at once: as long as it lives, it gives each port once, and nobody else gets one of them.
class FreePorts {
 public:
  FreePorts() = default;
  ~FreePorts();
  FreePorts(const FreePorts&) = delete;
  FreePorts& operator=(const FreePorts&) = delete;

  int next();  // 0 when none can be had

 private:
  std::vector<int> sockets_;
};

// One that is free when asked: whoever uses it should do so at once. 0 when none can be had.
int free_port();

}  // namespace base
