// Runs of experiments: the trainer that an experiment lowers to, with its config.yaml beside it.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/temp_folder.h"
#include "kd/core/durable.h"
#include "kd/engine/jobs_impl.h"
#include "kd/problems/run.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/train/engine/train.h"
#include "kd/train/trainer.h"
#include "kd/writers/engine/writer.h"
#include "kd/writers/progress.h"
#include "konfig/konfig.h"
#include "tfimm/train/dump_config.h"

namespace kd::engine {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using problems::ExperimentConfig;
using problems::TrainerConfig;
using train::Event;

namespace {

// The lines of a run, as often as its trainer wants them.
class Display {
 public:
  explicit Display(const ExperimentConfig& cfg) : shows_(cfg.logging_level <= problems::kInfo) {
    if (!cfg.trainer.holds<TrainerConfig>()) return;
    const auto& trainer = cfg.trainer.as<TrainerConfig>();
    every_ = trainer.display_loss_every_it;
    shows_ = shows_ && trainer.verbose;
  }
  void operator()(const Event& e) const {
    if (!shows_) return;
    if (e.kind == Event::Kind::done) {
      const bool due = e.place.it == 0 || (every_ > 0 && e.place.it % every_ == 0);
      if (due)
        show(fmt::format("Train: epoch {}, it {}, loss {:.5f}", e.place.epoch, e.place.it, e.loss));
    } else if (e.kind == Event::Kind::save) {
      show(fmt::format("Saving the checkpoint of step {}", e.step));
    } else if (e.kind == Event::Kind::write && e.collection != "train") {
      std::string text = fmt::format("Validation: step {}", e.step);
      for (auto& [name, value] : e.record->scalars) text += fmt::format(", {} {:.4f}", name, value);
      show(text);
    }
  }

 private:
  static void show(const std::string& line) { writers::print_line(line); }
  int every_ = TrainerConfig().display_loss_every_it;
  bool shows_;
};

}  // namespace

JobResult experiment_job(const ExperimentJob& job) {
  const ConfigDict config = problems::lower(job.config);
  const auto trainer = konfig::resolve<train::Trainer>(config);
  const Display display(job.config);
  auto run = [&](const train::Trainer& what) {
    train::TrainResult result =
        train::train(what, {.config = config,
                            .should_stop = [&] { return job.stop_signal && *job.stop_signal != 0; },
                            .on_event = std::ref(display)});
    return JobResult{
        .stopped = result.stopped, .step = result.state.step, .saved = result.saved, .text = {}};
  };
  if (trainer->workdir) {
    with_file_errors([&] {
      const fs::path folder = *trainer->workdir;
      tfimm::train::dump_config(job.config, folder / "config.yaml");
      // `kd resume` finds the classes by it.
      if (!job.source.empty()) replace_file(folder / kSourceFile, job.source + "\n");
    });
    return run(*trainer);
  }
  // Nothing is kept, but a run has its place.
  const base::TempFolder nowhere("kd_run_");
  train::Trainer there = *trainer;
  there.workdir = nowhere.path().string();
  return run(there);
}

}  // namespace kd::engine
