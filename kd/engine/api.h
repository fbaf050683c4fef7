// The door to the engine: all that a program calls in it, behind the one symbol kd_engine_api. Free
// of libtorch, for programs that open the engine's library at run time.
#pragma once

#include <string>

#include "kd/ckpts/command.h"
#include "kd/engine/options.h"
#include "kd/inspect/data_api.h"
#include "konfig/config_dict.h"

namespace kd::engine {

// A function behind the door. It has no default, so that one that api.cc forgets does not compile.
template <class F>
class Entry {
 public:
  constexpr Entry(F* function) : function_(function) {}
  constexpr operator F*() const { return function_; }

 private:
  F* function_;
};

struct Api {
  // Sets threads and device, and describes them: "libtorch 2.15.0 (AVX2), device cpu, 2 threads".
  Entry<std::string(const Options& options)> start;

  // Runs of a trainer.
  Entry<JobResult(const Job& job)> train;          // to the end, or until stopped
  Entry<JobResult(const ExperimentJob& job)> run;  // the same, of what an experiment lowers to
  Entry<JobResult(const Job& job)> eval;           // of a run's checkpoints
  Entry<JobResult(const Job& job)> check;          // one small step, in a scratch folder
  Entry<JobResult(const Job& job)> eval_shape;     // the shapes of a step, nothing computed
  Entry<JobResult(const Job& job)> inspect;        // the model as a table, or what `show` says

  // The data of a config.
  using DataText = Entry<std::string(const konfig::ConfigDict&, const inspect::DataOptions&)>;
  DataText data_spec;
  DataText data_stats;
  Entry<inspect::Picture(const konfig::ConfigDict&, const inspect::DataOptions&)> data_show;
  DataText data_bench;

  // Checkpoints.
  Entry<std::string(const ckpts::ShowOptions& options)> ckpt_show;
  Entry<ckpts::Diff(const ckpts::DiffOptions& options)> ckpt_diff;
  Entry<std::string(const ckpts::ImportOptions& options)> ckpt_import;
};

}  // namespace kd::engine

extern "C" const kd::engine::Api* kd_engine_api();
