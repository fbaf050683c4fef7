// TensorBoard beside an experiment: a helper that never decides how the experiment ends.
#pragma once

#include <sys/types.h>

#include <string>

namespace cli {

// Runs while it lives, and dies with this process. Where there is no TensorBoard, or nothing for it
// to show, it says so and does nothing.
class TensorBoard {
 public:
  // What it prints goes to the file `log`.
  TensorBoard(const std::string& folder, const std::string& log);
  ~TensorBoard();
  TensorBoard(const TensorBoard&) = delete;
  TensorBoard& operator=(const TensorBoard&) = delete;

  // Now and then: says so, once, if it has ended by itself.
  void watch();

 private:
  bool has_ended();

  pid_t pid_ = 0;
  std::string log_;
};

}  // namespace cli
