// tfimm's script in a project of someone else: any registered experiment, from files and flags.
#include "kd/engine/run_experiment.h"

int main(int argc, char** argv) {
  return tfimm::train::run(tfimm::train::ExperimentConfig{}, argc, argv);
}
