#include "kd/engine/run_experiment.h"

#include <exception>
#include <iostream>

#include "kd/engine/engine.h"
#include "kd/engine/jobs_impl.h"
#include "tfimm/train/parse_args.h"

namespace kd::problems {

int run(const ExperimentConfig& given, int argc, const char* const* argv) {
  const ExperimentConfig parsed = tfimm::train::parse_args(given, argc, argv);
  try {
    const ExperimentConfig cfg = in_folder_of_run(parsed);
    if (cfg.logging_level <= kInfo) {
      std::cout << "Running with arguments\n" << tfimm::train::pprint(cfg) << std::flush;
    }
    engine::configure({});
    engine::experiment_job({.config = cfg});
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << "\n";
    return 1;
  }
}

}  // namespace kd::problems
