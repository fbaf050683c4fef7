// Traces of some steps of a run: every operation of libtorch with its time and thread, as a file
// for chrome://tracing or ui.perfetto.dev.
//
//   Tracer tracer(trainer.profiler, workdir);
//   for (std::int64_t i = 0; ...) {
//     step();
//     tracer.step(i);
//   }
//
// A profiler of your own is a struct with a member `open` that gives a ProfilerRun; nullptr watches
// nothing:
//
//   struct MyProfiler {
//     std::unique_ptr<inspect::ProfilerRun> open(const std::filesystem::path& workdir) const;
//   };
//   KD_COMPONENT(kd::ProfilerFn, MyProfiler);       // cfg.profiler = MyProfiler{}
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "kd/core/implement.h"
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

// A profiler of a run.
class ProfilerRun {
 public:
  virtual ~ProfilerRun() = default;
  virtual void step(std::int64_t step) = 0;  // after each step
};

// The profiler of a run, if there is one. That of a Profiler, after a step, begins a trace for the
// next ones, or writes the one that is long enough to <workdir>/profile/steps_<first>_<last>.json.
class Tracer {
 public:
  Tracer(const Poly<ProfilerFn>& options, const std::filesystem::path& workdir);
  void step(std::int64_t step) {
    if (run_) run_->step(step);
  }

 private:
  std::unique_ptr<ProfilerRun> run_;
};

struct ProfilerOps {
  std::unique_ptr<ProfilerRun> (*open)(const void* self, const std::filesystem::path& workdir);
};

}  // namespace kd::inspect

template <>
struct kd::Implement<kd::ProfilerFn> {
  using Ops = inspect::ProfilerOps;
  template <class T>
  static constexpr Ops ops = {
      [](const void* self,
         const std::filesystem::path& workdir) -> std::unique_ptr<inspect::ProfilerRun> {
        return static_cast<const T*>(self)->open(workdir);
      }};
};
