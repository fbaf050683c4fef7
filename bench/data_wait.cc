// How much of a training step of mnist_autoencoder passes in waiting for the next batch:
//   build/bench/data_wait [steps]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "kd/data/engine/dataset.h"
#include "kd/engine/engine.h"
#include "kd/train/engine/train_step.h"
#include "kd/train/trainer.h"
#include "konfig/config_registry.h"
#include "konfig/konfig.h"

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kd;
  using Clock = std::chrono::steady_clock;
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1000;
  engine::configure();
  auto trainer =
      konfig::resolve<train::Trainer>(konfig::find_config("mnist_autoencoder")->make({}));
  train::StepRun run(*trainer);
  train::TrainState state = run.init();
  data::Iterator batches = data::open(trainer->train_ds).device_put().iterate();
  double first = 0, waited = 0;
  auto begin = Clock::now();
  for (int i = 0; i <= steps; ++i) {
    auto asked = Clock::now();
    auto batch = batches.next();
    if (i == 0) {  // opens the files
      first = seconds_since(asked);
      begin = Clock::now();
    } else {
      waited += seconds_since(asked);
    }
    state = run.step(std::move(state), *batch, {}).state;
  }
  const double all = seconds_since(begin);
  std::printf(
      "kd mnist_autoencoder: first batch after %.0f ms; then %.3f ms a step, of which %.3f ms "
      "(%.2f %%) wait for data\n",
      first * 1e3, all / steps * 1e3, waited / steps * 1e3, 100 * waited / all);
}
