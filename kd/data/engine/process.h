// Process: which of the processes of a job this is. Each reads its own part of the data.
#pragma once

namespace kd::data {

struct Process {
  int index = 0;
  int count = 1;
};

}  // namespace kd::data
