// Slots of time, by name.
#include "kd/data/engine/profile.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace kd::data {

namespace {

std::atomic<bool> g_profiling = false;

struct Slots {
  std::mutex mutex;
  std::deque<ProfileSlot> all;
};
// Never destroyed: threads may still count.
Slots& slots() {
  static auto* slots = new Slots;
  return *slots;
}

}  // namespace

bool is_profiling() { return g_profiling.load(std::memory_order_relaxed); }

ProfileSlot& profile_slot(const std::string& name) {
  std::lock_guard lock(slots().mutex);
  for (ProfileSlot& slot : slots().all) {
    if (slot.name == name) return slot;
  }
  ProfileSlot& slot = slots().all.emplace_back();
  slot.name = name;
  return slot;
}

void start_profile() {
  std::lock_guard lock(slots().mutex);
  for (ProfileSlot& slot : slots().all) slot.nanoseconds = slot.calls = 0;
  g_profiling = true;
}

std::vector<ProfilePart> stop_profile() {
  g_profiling = false;
  std::lock_guard lock(slots().mutex);
  std::vector<ProfilePart> out;
  for (const ProfileSlot& slot : slots().all) {
    if (slot.calls > 0) {
      out.push_back({slot.name, static_cast<double>(slot.nanoseconds) * 1e-9, slot.calls});
    }
  }
  std::ranges::sort(out, std::greater{}, &ProfilePart::seconds);
  return out;
}

}  // namespace kd::data
