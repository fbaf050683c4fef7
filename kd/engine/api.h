// The door to the engine: all that a program calls in it, behind the one symbol kd_engine_api. Free
// of libtorch, for programs that open the engine's library at run time.
#pragma once

#include <string>

#include "kd/ckpts/command.h"
#include "kd/engine/options.h"
#include "kd/inspect/data_api.h"
#include "konfig/config_dict.h"

namespace kd::engine {

struct Api {
  // Sets threads and device, and describes them: "libtorch 2.15.0 (AVX2), device cpu, 2 threads".
  std::string (*start)(const Options& options);

  // Runs of a trainer.
  JobResult (*train)(const Job& job);    // to the end, or until stopped
  JobResult (*eval)(const Job& job);     // of a run's checkpoints
  JobResult (*check)(const Job& job);    // one small step, nothing written
  JobResult (*inspect)(const Job& job);  // the model as a table, or what `show` says

  // The data of a config.
  using DataText = std::string (*)(const konfig::ConfigDict&, const inspect::DataOptions&);
  DataText data_spec;
  DataText data_stats;
  inspect::Picture (*data_show)(const konfig::ConfigDict&, const inspect::DataOptions&);
  DataText data_bench;

  // Checkpoints.
  std::string (*ckpt_show)(const ckpts::ShowOptions& options);
  ckpts::Diff (*ckpt_diff)(const ckpts::DiffOptions& options);
  std::string (*ckpt_import)(const ckpts::ImportOptions& options);
};

}  // namespace kd::engine

extern "C" const kd::engine::Api* kd_engine_api();
