// The main example made small, for tests that run the program.
#pragma once

#include <string>
#include <vector>

namespace cli {

// kd NAME --cfg=mnist_autoencoder, with small batches, and more arguments.
inline std::vector<std::string> small_run(const std::string& name,
                                          const std::vector<std::string>& more = {}) {
  std::vector<std::string> args = {name, "--cfg=mnist_autoencoder", "--cfg.train_ds.batch_size=16",
                                   "--cfg.train_ds.num_workers=0",
                                   "--cfg.evals.eval.num_batches=1"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

// After a line of a shell that trains into the folder `run`: goes on there when the first
// checkpoint tells that it runs, with the process in $job.
inline const std::string kUntilItRuns =
    " & job=$!\nwhile [ ! -e run/checkpoints/ckpt_0 ]; do kill -0 $job || exit 9; done\n";

}  // namespace cli
