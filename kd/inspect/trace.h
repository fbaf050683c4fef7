// Traces of some steps of a run: every operation of libtorch with its time and thread, as a file
// for chrome://tracing or ui.perfetto.dev.
//
//   Tracer tracer(trainer.profiler, workdir);
//   for (std::int64_t i = 0; ...) {
//     step();
//     tracer.step(i);
//   }
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "kd/inspect/profiler.h"

namespace kd::inspect {

// Records from its construction to `finish`. One at a time.
class Recording {
 public:
  Recording();
  ~Recording();  // forgets what was not written
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  void mark_step(std::int64_t step);  // the step that begins here
  void finish(const std::filesystem::path& file);

 private:
  std::uint64_t handle_ = 0;
};

class Tracer {
 public:
  Tracer(const Poly<ProfilerFn>& options, const std::filesystem::path& workdir);
  // After each step: begins a trace for the next ones, or writes the one that is long enough to
  // <workdir>/profile/steps_<first>_<last>.json.
  void step(std::int64_t step);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_due(std::int64_t step) const;

  std::optional<Profiler> options_;
  std::filesystem::path folder_;
  std::unique_ptr<Recording> recording_;
  std::int64_t first_ = 0;  // step of the trace under way
  Clock::time_point began_, finished_;
};

}  // namespace kd::inspect
