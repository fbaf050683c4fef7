// How the engine runs: threads and device; and what a program asks of it. Free of libtorch, for
// programs that load it later.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/problems/experiment.h"
#include "konfig/config_dict.h"
#include "konfig/error.h"

namespace kd::engine {

struct Options {
  std::optional<int> threads = {};  // none: as many as the cores this process may use
  std::string device = "cpu";       // "cpu"; GPUs are refused, see check_device
};

// A GPU that is named but not used would be a wrong answer.
inline void check_device(const std::string& device) {
  using konfig::Error, konfig::ErrorKind;
  if (device == "cuda" || device.starts_with("cuda:")) {
    throw Error(ErrorKind::unsupported,
                "device " + device + ": GPUs are not supported yet; use --device=cpu");
  }
  if (device != "cpu") throw Error(ErrorKind::value, "device '" + device + "': expected cpu");
}

// The file in a run's folder that tells where its config came from.
inline constexpr const char* kSourceFile = "config_source.txt";

// What `inspect` shows: the model's modules, what is connected with what, or schedules as curves.
enum class Show { model, graph, schedules };

// A run of the trainer that a config describes.
struct Job {
  konfig::ConfigDict config = {};
  konfig::ConfigDict full = {};              // of `check`: before it was made short
  std::string source = {};                   // of `train`: kept as kSourceFile unless empty
  std::vector<std::string> eval_names = {};  // of `eval`: which; none: all that have own jobs
  std::string job_group = {};                // of `eval`: those of this group, in place of names
  double quiet_seconds = 10;                 // of `eval`: without news of a complete run
  Show show = Show::model;                   // of `inspect`
  std::optional<int> depth = {};             // of the model: how far down; none: all
  const std::atomic<int>* stop_signal = nullptr;  // when not 0: the run ends after the step
};
// A run of an experiment. Its config.yaml is in ckpt_dir before the first step.
struct ExperimentJob {
  problems::ExperimentConfig config = {};
  konfig::ConfigDict lowered = {};  // problems::lower(config): what is trained
  std::string source = {};          // C++ files with its classes, one a line: kept as kSourceFile
  const std::atomic<int>* stop_signal = nullptr;  // when not 0: the run ends after the step
};
// A curve: "schedules/learning_rate" by step.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points = {};
};
struct JobResult {
  bool stopped = false;                    // by the signal
  std::int64_t step = 0;                   // updates so far
  std::optional<std::int64_t> saved = {};  // when stopped: the checkpoint to go on from
  std::string text = {};                   // of `check`, `inspect`: what was found
  std::vector<Series> series = {};         // of `inspect`: the schedules
};

}  // namespace kd::engine
