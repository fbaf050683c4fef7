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
#include "kd/problems/run.h"

namespace kd::problems {

// The exit code of main: 0 trained, 1 failed, 2 for a value that cannot be, 130 or 143 stopped by
// Ctrl-C or SIGTERM. Flags that cannot be read end the program with 2, --help with 0. `cfg` has
// less weight than --cfg_file and flags.
int run(const ExperimentConfig& cfg, int argc, const char* const* argv);

}  // namespace kd::problems

namespace tfimm::train {
using kd::problems::ExperimentConfig;
using kd::problems::run;
}  // namespace tfimm::train
