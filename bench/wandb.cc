// How much of a training of mnist_autoencoder passes in writing a run of W&B, and in writing the
// usual files:
//   build/bench/wandb [steps]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/temp_folder.h"
#include "kd/core/implement.h"
#include "kd/engine/engine.h"
#include "kd/evals/evaluators.h"
#include "kd/train/engine/train.h"
#include "kd/train/trainer.h"
#include "kd/writers/engine/writer.h"
#include "kd/writers/wandb.h"
#include "konfig/config_registry.h"
#include "konfig/konfig.h"

namespace {

using Clock = std::chrono::steady_clock;

// The time that passes in a writer.
double seconds = 0;
int records = 0;

template <class Work>
auto timed(Work work) {
  struct Timer {
    Clock::time_point begin = Clock::now();
    ~Timer() { seconds += std::chrono::duration<double>(Clock::now() - begin).count(); }
  } timer;
  return work();
}

}  // namespace

struct TimedWriter {
  kd::Poly<kd::MetricWriter> inner = {};

  class Writer : public kd::writers::Writer {
   public:
    explicit Writer(std::unique_ptr<kd::writers::Writer> inner) : inner_(std::move(inner)) {}
    ~Writer() override {
      timed([&] { inner_.reset(); });
    }
    void write(const kd::writers::Record& record) override {
      ++records;
      timed([&] { inner_->write(record); });
    }
    void flush() override {
      timed([&] { inner_->flush(); });
    }
    void write_config(const konfig::ConfigDict& config) override {
      timed([&] { inner_->write_config(config); });
    }
    void finish() override {
      timed([&] { inner_->finish(); });
    }

   private:
    std::unique_ptr<kd::writers::Writer> inner_;
  };

  std::unique_ptr<kd::writers::Writer> open(const std::filesystem::path& run,
                                            const std::string& collection,
                                            std::optional<std::int64_t> resume_at) const {
    return timed([&] {
      return std::make_unique<Writer>(kd::writers::open(inner, run, collection, resume_at));
    });
  }
};
KD_COMPONENT(kd::MetricWriter, TimedWriter);

int main(int argc, char** argv) {
  using namespace kd;
  const int steps = argc > 1 ? std::atoi(argv[1]) : 300;
  engine::configure();
  auto measure = [&](const char* name, const Poly<MetricWriter>& writer) {
    const base::TempFolder folder("kd_bench_wandb_");
    const konfig::ConfigDict config = konfig::find_config("mnist_autoencoder")->make({});
    config["workdir"] = folder.path().string();
    config["num_train_steps"] = steps;
    train::Trainer trainer = *konfig::resolve<train::Trainer>(config);
    trainer.writer = TimedWriter{.inner = writer};
    trainer.evals["eval"].as<evals::Evaluator>().writer = trainer.writer;
    seconds = records = 0;
    const auto begin = Clock::now();
    train::train(trainer, {.config = config});
    const double all = std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf("%-14s %d records in a run of %.2f s: %.2f ms, %.2f %% of the run\n", name, records,
                all, seconds * 1e3, 100 * seconds / all);
  };
  measure("W&B", train::WandbWriter{
                     .tensorboard = false, .csv = false, .json_lines = false, .console = false});
  measure("usual files", train::KDMetricWriter{.console = false});
}
