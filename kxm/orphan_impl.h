// A job whose supervisor was killed. The launcher that started it inherits it and does the rest:
// waits for it, keeps it to its time limit and notes how it ended.
#pragma once

#include <sys/types.h>

#include <string>

#include "kxm/executor.h"

namespace kxm {

struct Orphan {
  std::string folder;   // of the attempt
  double deadline = 0;  // seconds since 1970; 0: none
  double grace = 0;     // seconds between SIGTERM and SIGKILL
  bool over = false;    // its deadline
};

// Looks after it without waiting. True once there is nothing left to do.
bool collect(pid_t job, Orphan& orphan);

// From what wait(2) says of a process.
End end_of(int status, bool stopped);
int code_of(int status);  // the exit code or the signal's number

}  // namespace kxm
