// Progress on the console: a bar at the bottom of a terminal, now and then a line elsewhere.
//
//   Progress bar(1000, "train");
//   bar.update(step, "loss 0.123");
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace kd::writers {

class Progress {
 public:
  // `total` 0 or less: unknown. `first` is where it starts, for a run that goes on.
  Progress(std::int64_t total, std::string desc, std::int64_t first = 0);
  ~Progress();  // leaves the last state as a line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` steps of all; the text stands at the end: "loss 0.123". Cheap: draws ten times a second.
  void update(std::int64_t done, std::string_view text = {});

  // "train:  25%|#####     | 250/1000 [00:10<00:30, 25.0/s] loss 0.123"
  std::string line(int width) const;

 private:
  friend void print_line(std::string_view text);
  void draw();
  void clear();

  using Clock = std::chrono::steady_clock;
  std::int64_t total_, first_, done_;
  std::string desc_, text_;
  bool terminal_;
  Clock::time_point start_, drawn_;
};

// A line for the user, above the bar if there is one. To standard error.
void print_line(std::string_view text);

}  // namespace kd::writers
