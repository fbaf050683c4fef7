// The launcher's direct API in a program of another project: one job, in a folder of its own.
#include "kxm/kxm.h"

int main() {
  const kxm::Experiment xp{
      .jobs = {{"train",
                kxm::Job{
                    .target = "/bin/echo",
                    .platform = "cpu",
                    .args = {{"workdir", kxm::WU_DIR_PROXY}},
                }}},
      .root_dir = "experiments/{author}",
  };
  return xp.launch() == 1 ? 0 : 1;
}
