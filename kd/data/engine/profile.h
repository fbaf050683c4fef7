// Where the time of pipelines goes. Costs next to nothing unless it is asked for.
//
//   start_profile();
//   ...                                                                // read batches
//   for (auto& part : stop_profile()) names.push_back(part.name);      // also seconds and calls
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kd::data {

struct ProfilePart {
  std::string name;    // "kd::data::ValueRange", "reading", "stacking"
  double seconds = 0;  // of all threads together
  std::int64_t calls = 0;
};
void start_profile();
std::vector<ProfilePart> stop_profile();  // the longest first

// ---- For steps of pipelines.

struct ProfileSlot {
  std::string name;
  std::atomic<std::int64_t> nanoseconds = 0, calls = 0;
};
// The slot of this name, which all steps of that name share. It stays for ever.
ProfileSlot& profile_slot(const std::string& name);
bool is_profiling();

// Counts the time until its end.
class Timed {
 public:
  explicit Timed(ProfileSlot& slot) : slot_(is_profiling() ? &slot : nullptr) {
    if (slot_) begin_ = Clock::now();
  }
  ~Timed() {
    if (!slot_) return;
    slot_->nanoseconds +=
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
    ++slot_->calls;
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  ProfileSlot* slot_;
  Clock::time_point begin_;
};

}  // namespace kd::data
