// Runs of experiments: the trainer that an experiment lowers to, with its config.yaml beside it.
#include <fmt/format.h>

#include <filesystem>

#include "base/replace_all.h"
#include "base/temp_folder.h"
#include "kd/core/durable.h"
#include "kd/engine/jobs_impl.h"
#include "kd/problems/run.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/train/engine/train.h"
#include "kd/train/engine/train_step.h"
#include "kd/writers/engine/writer.h"
#include "kd/writers/progress.h"
#include "konfig/config_dict.h"
#include "tfimm/train/dump_config.h"

namespace kd::engine {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Error;
using problems::ExperimentConfig;
using problems::TrainerConfig;
using train::Event;

namespace {

bool is_verbose(const ExperimentConfig& cfg) {
  return !cfg.trainer.holds<TrainerConfig>() || cfg.trainer.as<TrainerConfig>().verbose;
}

// The folder that a trainer writes to; "": none.
std::string workdir_of(const ConfigDict& config) {
  if (!config.contains("workdir")) return "";
  const konfig::Value value = config.get("workdir");
  return value.is<std::string>() ? value.as<std::string>() : "";
}

// The lines of a run, as often as its trainer wants them.
class Display {
 public:
  explicit Display(const ExperimentConfig& cfg) {
    shows_ = is_verbose(cfg) && cfg.logging_level <= problems::kInfo;
    if (cfg.trainer.holds<TrainerConfig>()) {
      every_ = cfg.trainer.as<TrainerConfig>().display_loss_every_it;
    }
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

// Says once that the data ended within an epoch: schedules count all its steps.
class ShortEpochs {
 public:
  explicit ShortEpochs(const ExperimentConfig& cfg) {
    const auto& time = cfg.timekeeping.as<problems::Timekeeping>();
    if (cfg.logging_level > problems::kWarning || time.nb_samples_per_epoch < 0) return;
    const std::int64_t size = *time.batch_size;
    steps_ = time.nb_samples_per_epoch / size + (time.nb_samples_per_epoch % size > 0);
  }
  void operator()(const Event& e) {
    if (e.kind != Event::Kind::done) return;
    if (e.place.epoch != last_.epoch) end_of_epoch();
    last_ = e.place;
    any_ = true;
  }
  void end_of_epoch() {
    const std::int64_t done = last_.it + 1;
    if (!any_ || done >= steps_) return;
    writers::print_line(fmt::format(
        "warning: the data ended after {} of {} steps of epoch {}, which timekeeping counts for "
        "schedules; train_dataset.repeat=true goes on",
        done, steps_, last_.epoch));
    steps_ = 0;
  }

 private:
  std::int64_t steps_ = 0;
  Place last_ = {};
  bool any_ = false;
};

// Errors name what the experiment has.
JobResult train(const Job& lowered, const Shown& shown) {
  try {
    return train_job(lowered, shown);
  } catch (const Error& e) {
    std::string text = base::replace_all(e.message(), train::kSkipAdvice, "");
    text = base::replace_all(text, "--cfg.workdir=", "--trainer.ckpt_dir=");
    throw problems::in_experiment(Error(e.kind(), e.path(), text));
  }
}

// Samples are counted by the batch size of timekeeping, whatever the data has.
void note_batch_size(const ExperimentConfig& cfg) {
  const int counted = *cfg.timekeeping.as<problems::Timekeeping>().batch_size;
  const konfig::Value found = problems::batch_size_of(cfg.train_dataset);
  if (found.is_none() || found == konfig::Value(counted)) return;
  if (cfg.logging_level > problems::kWarning) return;
  writers::print_line("warning: timekeeping.batch_size is " + std::to_string(counted) +
                      ", but train_dataset.batch_size is " + found.repr() +
                      "; epochs and schedules count " + std::to_string(counted) +
                      " samples a step");
}

// Before the first step, and only once the run is accepted: one that is refused, or was over
// before, leaves the config as it is.
void keep_config(const ExperimentConfig& cfg, const fs::path& folder, const Event& start) {
  const fs::path file = folder / "config.yaml";
  if (start.step >= start.last && fs::exists(file)) return;
  with_file_errors([&] { tfimm::train::dump_config(cfg, file); });
}

}  // namespace

JobResult experiment_job(const ExperimentJob& job) {
  const ExperimentConfig& cfg = job.config;
  Job lowered{.config = job.lowered, .source = job.source, .stop_signal = job.stop_signal};
  const std::string folder = workdir_of(lowered.config);
  ShortEpochs epochs(cfg);
  Shown shown{.on_event =
                  [&, display = Display(cfg)](const Event& event) {
                    if (!folder.empty() && event.kind == Event::Kind::start)
                      keep_config(cfg, folder, event);
                    epochs(event);
                    display(event);
                  },
              .progress = is_verbose(cfg) && cfg.logging_level <= problems::kInfo,
              .longer = "--timekeeping.nb_epochs=N makes it longer"};
  note_batch_size(cfg);
  auto trained = [&] {
    JobResult result = train(lowered, shown);
    if (!result.stopped) epochs.end_of_epoch();
    return result;
  };
  if (!folder.empty()) return trained();
  // Nothing is kept, but a run has its place.
  const base::TempFolder nowhere("kd_run_");
  lowered.config = job.lowered.copy();
  const auto guard = lowered.config.ignore_type();
  lowered.config["workdir"] = nowhere.path().string();
  try {
    return trained();
  } catch (const Error& e) {
    // The bad batch of a step is not kept either.
    throw Error(e.kind(), e.path(), e.message().substr(0, e.message().find("; the batch is in ")));
  }
}

}  // namespace kd::engine
