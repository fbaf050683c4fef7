// run: an experiment of registered classes in a program of your own, as `kd run` does it.
//
//   int main(int argc, char** argv) {
//     const ExperimentConfig cfg{...};
//     return run(cfg, argc, argv);
//   }
//
// It parses the flags, prints the config, writes config.yaml into ckpt_dir and trains. Classes of
// the program's own are those that it registers with CFG_SERIALIZABLE.
#pragma once

#include "kd/problems/experiment.h"

namespace kd::engine {

// The exit code of main: 0 trained, 1 failed, 2 for a value that cannot be, 130 or 143 stopped by
// Ctrl-C or SIGTERM. Flags that cannot be read end the program with 2, --help with 0. `cfg` has
// less weight than --cfg_file and flags.
int run(const problems::ExperimentConfig& cfg, int argc, const char* const* argv);

}  // namespace kd::engine

namespace kd::problems {
using engine::run;
}  // namespace kd::problems

namespace tfimm::train {
using kd::engine::run;
using kd::problems::ExperimentConfig;
}  // namespace tfimm::train
