// How the engine runs: threads and device; and what a program asks of it. Free of libtorch, for
// programs that load it later.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "konfig/config_dict.h"

namespace kd::engine {

struct Options {
  std::optional<int> threads = {};  // none: as many as the cores this process may use
  std::string device = "cpu";       // "cpu", "cuda", "cuda:1"
};

// In the folder of a run: where the types of its config are.
inline constexpr const char* kSourceFile = "config_source.txt";

// A run of the trainer that a config describes.
struct Job {
  konfig::ConfigDict config = {};
  std::string source = {};  // of `train`: what brings the config's own types, kept by the run
  std::vector<std::string> eval_names = {};       // of `eval`: which; none: all that have own jobs
  std::optional<int> depth = {};                  // of `inspect`: how far down; none: all
  const std::atomic<int>* stop_signal = nullptr;  // when not 0: the run ends after the step
};
struct JobResult {
  bool stopped = false;                    // by the signal
  std::int64_t step = 0;                   // updates so far
  std::optional<std::int64_t> saved = {};  // when stopped: the checkpoint to go on from
  std::string text = {};                   // of `check`, `inspect`: what was found
};

// What a program that opens the engine's library at run time finds in it, by `kd_engine_api`.
struct Api {
  // Sets threads and device, and describes them: "libtorch 2.15.0 (AVX2), device cpu, 2 threads".
  std::string (*start)(const Options& options);
  JobResult (*train)(const Job& job);    // to the end, or until stopped
  JobResult (*eval)(const Job& job);     // of a run's checkpoints
  JobResult (*check)(const Job& job);    // one small step, nothing written
  JobResult (*inspect)(const Job& job);  // the model as a table
};

}  // namespace kd::engine

extern "C" const kd::engine::Api* kd_engine_api();
