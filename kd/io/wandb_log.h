// The files of W&B's offline runs (run-<id>.wandb): records of bytes in blocks of 32 KiB, in the
// layout of LevelDB's logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kd/io/file.h"

namespace kd::io {

// What a file begins with.
std::string wandb_log_head();
// One record, as it is written at this offset of a file.
std::string wandb_log_frame(std::uint64_t offset, std::string_view data);

struct WandbLog {
  std::vector<std::string> records;
  std::uint64_t whole = 0;  // the number of bytes up to the end of the last whole record
  std::string problem;      // why the rest cannot be read, with its byte; empty: there is none
  bool is_torn = false;     // the problem is the end of the file: a process was killed
};

// The records up to the first that is torn or damaged; none of another kind of file.
WandbLog read_wandb_log(const Bytes& bytes);

}  // namespace kd::io
