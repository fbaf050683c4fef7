#include "kd/engine/run_experiment.h"

#include <exception>
#include <iostream>

#include "base/stop_signal.h"
#include "kd/engine/engine.h"
#include "kd/engine/jobs_impl.h"
#include "tfimm/train/parse_args.h"

namespace kd::problems {

namespace {

constexpr int kFine = 0, kFailure = 1, kUsage = 2;

int fail(const std::string& text, int code) {
  std::cerr << "error: " << text << "\n";
  return code;
}

int train(const engine::ExperimentJob& job) {
  const ExperimentConfig& cfg = job.config;
  if (cfg.logging_level <= kInfo) {
    std::cout << "Running with arguments\n" << tfimm::train::pprint(cfg) << std::flush;
  }
  engine::configure({});
  const engine::JobResult result = engine::experiment_job(job);
  if (!result.stopped) return kFine;
  const bool saved = result.saved && !ckpt_dir_of(cfg).empty();
  std::cerr << stopped_text(result.step, saved) << "\n";
  return 128 + job.stop_signal->load();
}

}  // namespace

int run(const ExperimentConfig& given, int argc, const char* const* argv) {
  const ExperimentConfig parsed = tfimm::train::parse_args(given, argc, argv);
  const base::StopSignal stop;
  engine::ExperimentJob job{.stop_signal = &base::StopSignal::received()};
  try {
    job.config = in_folder_of_run(parsed);
    job.lowered = lower(job.config);
  } catch (const konfig::Error& e) {
    return fail(text_of(e), kUsage);
  }
  try {
    return train(job);
  } catch (const konfig::Error& e) {
    return fail(text_of(e), is_wrong_flag(e) ? kUsage : kFailure);
  } catch (const std::exception& e) {
    return fail(e.what(), kFailure);
  }
}

}  // namespace kd::problems
