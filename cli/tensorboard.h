// TensorBoard beside an experiment: a helper that never decides how the experiment ends.
#pragma once

#include <sys/types.h>

#include <string>

namespace cli {

// Runs while it lives. Where there is no TensorBoard it says so, and does nothing.
class TensorBoard {
 public:
  explicit TensorBoard(const std::string& folder);
  ~TensorBoard();
  TensorBoard(const TensorBoard&) = delete;
  TensorBoard& operator=(const TensorBoard&) = delete;

 private:
  pid_t pid_ = 0;
};

}  // namespace cli
