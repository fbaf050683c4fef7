// How much of a training passes in writing a run of W&B, and in writing the usual files:
//   build/bench/wandb [STEPS]        mnist_autoencoder, logged at every step
//   build/bench/wandb CONFIG.json    a config, as `kd run --print=kd` prints it
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "base/file.h"
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

// The time that passes in a writer, and that of the processor, which the load of the machine does
// not change.
double seconds = 0, cpu_seconds = 0;
int records = 0;

double cpu_now() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
auto timed(Work work) {
  struct Timer {
    Clock::time_point begin = Clock::now();
    double cpu_begin = cpu_now();
    ~Timer() {
      seconds += std::chrono::duration<double>(Clock::now() - begin).count();
      cpu_seconds += cpu_now() - cpu_begin;
    }
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

// Records of ten numbers alone.
void measure_records(const char* name, const kd::Poly<kd::MetricWriter>& writer) {
  const base::TempFolder folder("kd_bench_wandb_");
  const auto out = kd::writers::open(writer, folder.path(), "train", 0);
  constexpr int kRecords = 2000;
  seconds = cpu_seconds = 0;
  for (int i = 0; i < kRecords; ++i) {
    kd::writers::Record record{.step = i};
    for (int j = 0; j < 10; ++j) {
      record.scalars.emplace_back("losses/number_" + std::to_string(j), 1.0 / (1 + i + j));
    }
    timed([&] { out->write(record); });
  }
  std::printf("%-12s records of 10 numbers: %.3f ms each (processor: %.3f)\n", name,
              seconds * 1e3 / kRecords, cpu_seconds * 1e3 / kRecords);
}

// The config in a file, or mnist_autoencoder that logs every step.
konfig::ConfigDict config_of(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]).ends_with(".json")) {
    return konfig::config_from_json(base::read_file(argv[1]));
  }
  konfig::ConfigDict out = konfig::find_config("mnist_autoencoder")->make({});
  out["num_train_steps"] = argc > 1 ? std::atoi(argv[1]) : 300;
  out["log_metrics_every"] = 1;
  return out;
}

int main(int argc, char** argv) {
  using namespace kd;
  engine::configure();
  auto measure = [&](const char* name, const Poly<MetricWriter>& writer) {
    const base::TempFolder folder("kd_bench_wandb_");
    konfig::ConfigDict config = config_of(argc, argv);
    config.set("workdir", folder.path().string());
    train::Trainer trainer = *konfig::resolve<train::Trainer>(config);
    trainer.writer = TimedWriter{.inner = writer};
    for (auto& [key, evaluator] : trainer.evals) {
      if (evaluator.holds<evals::Evaluator>()) {
        evaluator.as<evals::Evaluator>().writer = trainer.writer;
      }
    }
    seconds = cpu_seconds = records = 0;
    const auto begin = Clock::now();
    train::train(trainer, {.config = config});
    const double all = std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf(
        "%-12s %d records in a run of %.2f s: %.3f ms each (processor: %.3f), %.2f %% of the run\n",
        name, records, all, seconds * 1e3 / records, cpu_seconds * 1e3 / records,
        100 * seconds / all);
  };
  const train::WandbWriter wandb{
      .tensorboard = false, .csv = false, .json_lines = false, .console = false};
  measure_records("W&B", wandb);
  measure_records("usual files", train::KDMetricWriter{.console = false});
  measure("W&B", wandb);
  measure("usual files", train::KDMetricWriter{.console = false});
}
