// A progress bar for what may be over at once: it shows up after a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "kd/writers/progress.h"

namespace kd::inspect {

class LateProgress {
 public:
  LateProgress(std::int64_t total, std::string what) : total_(total), what_(std::move(what)) {}
  void update(std::int64_t done) {
    if (!bar_ && Clock::now() - start_ > std::chrono::seconds(1)) bar_.emplace(total_, what_, done);
    if (bar_) bar_->update(done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t total_;
  std::string what_;
  Clock::time_point start_ = Clock::now();
  std::optional<writers::Progress> bar_;
};

}  // namespace kd::inspect
