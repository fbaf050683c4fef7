#include "kd/engine/run_experiment.h"

#include <exception>
#include <iostream>

#include "base/stop_signal.h"
#include "kd/engine/engine.h"
#include "kd/engine/jobs_impl.h"
#include "kd/problems/run.h"
#include "tfimm/train/parse_args.h"

namespace kd::engine {

using problems::ExperimentConfig;

namespace {

constexpr int kFine = 0, kFailure = 1, kUsage = 2;

int fail(const std::string& text, int code) {
  std::cerr << "error: " << text << "\n";
  return code;
}

int train(const ExperimentJob& job) {
  const ExperimentConfig& cfg = job.config;
  if (cfg.logging_level <= problems::kInfo) {
    std::cout << "Running with arguments\n" << tfimm::train::pprint(cfg) << std::flush;
  }
  configure({});
  const JobResult result = experiment_job(job);
  if (!result.stopped) return kFine;
  const bool saved = result.saved && !problems::ckpt_dir_of(cfg).empty();
  std::cerr << problems::stopped_text(result.step, saved) << "\n";
  return 128 + job.stop_signal->load();
}

}  // namespace

int run(const ExperimentConfig& given, int argc, const char* const* argv) {
  const ExperimentConfig parsed = tfimm::train::parse_args(given, argc, argv);
  const base::StopSignal stop;
  ExperimentJob job{.stop_signal = &base::StopSignal::received()};
  try {
    job.config = problems::in_folder_of_run(parsed);
    job.lowered = problems::lower(job.config);
  } catch (const konfig::Error& e) {
    return fail(problems::text_of(e), kUsage);
  }
  try {
    return train(job);
  } catch (const konfig::Error& e) {
    return fail(problems::text_of(e), problems::is_wrong_flag(e) ? kUsage : kFailure);
  } catch (const std::exception& e) {
    return fail(e.what(), kFailure);
  }
}

}  // namespace kd::engine
