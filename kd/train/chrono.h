// Chrono: how fast a run is. Time of evaluations and checkpoints is counted apart.
//
//   Chrono chrono(batch_size);
//   { auto pause = chrono.pause(Chrono::kEvals); ... }
//   chrono.finish_step();
//   for (auto& [name, value] : chrono.flush()) ...       // "perf_stats/steps_per_sec"
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "konfig/value.h"

namespace kd::train {

class Chrono {
 public:
  static constexpr int kCheckpoint = 0, kEvals = 1, kWriting = 2;  // what may interrupt training

  explicit Chrono(std::optional<std::int64_t> batch_size = {});

  class Pause {
   public:
    Pause(Chrono& chrono, int name);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Chrono& chrono_;
    int name_;
    std::chrono::steady_clock::time_point begin_;
  };
  Pause pause(int name) { return Pause(*this, name); }

  void start();  // of the loop: what went before does not count
  void finish_step();
  // Speeds since the flush before, with their names.
  std::vector<std::pair<std::string, double>> flush();

  // Time of all runs so far, for the checkpoint.
  konfig::Value to_value() const;
  void restore(const konfig::Value& value);

 private:
  struct Timer {
    double seconds = 0;
    std::int64_t count = 0;
  };
  using Clock = std::chrono::steady_clock;
  static constexpr int kPauses = 3;

  std::optional<std::int64_t> batch_size_;
  Clock::time_point last_;  // when the last step ended
  double paused_ = 0;       // seconds of pauses since then
  double total_ = 0;        // seconds of all runs, with pauses
  Timer train_, pauses_[kPauses];
};

}  // namespace kd::train
