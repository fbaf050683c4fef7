// When a run is profiled. What it does, and one of your own, is in kd/inspect/trace.h.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "kd/core/interfaces.h"
#include "konfig/inherit.h"

namespace kd {

class ProfilerFn;  // watches some steps of a run

}  // namespace kd

namespace kd::inspect {

class ProfilerRun;  // kd/inspect/trace.h

// Writes traces of some steps to <workdir>/profile/, for chrome://tracing or ui.perfetto.dev.
struct Profiler {
  int num_profile_steps = 5;                      // steps of a trace, at least
  std::optional<int> profile_duration_ms = 3000;  // milliseconds of a trace, at least; None: any
  std::optional<int> first_profile = 10;    // step of the first trace; None: none at a fixed step
  std::optional<int> every_steps = {};      // steps between traces
  std::optional<double> every_secs = 3600;  // seconds between traces
  bool all_host = false;                    // no effect: there is one process
  bool on_colab = false;                    // no effect: there is no Colab
  konfig::Inherit<std::optional<std::string>, "workdir"> workdir = inherit;  // the run's folder
  std::unique_ptr<ProfilerRun> open(const std::filesystem::path& run) const;
};

// Watches nothing.
struct NoopProfiler {
  std::unique_ptr<ProfilerRun> open(const std::filesystem::path& workdir) const;
};

}  // namespace kd::inspect

KONFIG_COMPONENT(kd::ProfilerFn, kd::inspect::Profiler, "kauldron.kd:inspect.Profiler");
KONFIG_COMPONENT(kd::ProfilerFn, kd::inspect::NoopProfiler, "kauldron.kd:inspect.NoopProfiler");
