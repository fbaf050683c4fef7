// The code in the opening comments of headers about components of your own: stores, policies,
// strategies, exporters, profilers, writers.
#include <gtest/gtest.h>

#include "kd/run.h"

using namespace kd;

namespace {

// kd/ckpts/engine/store.h
struct InMemory {
  std::unique_ptr<ckpts::Store> open(const std::filesystem::path& workdir, bool read_only) const;
};
std::unique_ptr<ckpts::Store> InMemory::open(const std::filesystem::path&, bool) const {
  return nullptr;
}

// kd/ckpts/retention.h
struct FirstAndLast {
  std::vector<bool> kept(const std::vector<ckpts::Info>& infos) const {
    std::vector<bool> out(infos.size(), false);
    out.front() = out.back() = true;
    return out;
  }
};

// kd/evals/engine/evaluator.h
struct MyStrategy {
  bool should_eval_in_train(std::int64_t step) const;
  evals::Where where() const;
};
bool MyStrategy::should_eval_in_train(std::int64_t step) const { return step == 3; }
evals::Where MyStrategy::where() const { return evals::Where::in_training; }

// kd/exports/engine/model.h
struct MyExporter {
  void export_model(const kd::Model& model, const std::filesystem::path& workdir) const;
};
void MyExporter::export_model(const kd::Model&, const std::filesystem::path&) const {}

// kd/inspect/trace.h
struct MyProfiler {
  std::unique_ptr<inspect::ProfilerRun> open(const std::filesystem::path& workdir) const;
};
std::unique_ptr<inspect::ProfilerRun> MyProfiler::open(const std::filesystem::path&) const {
  return nullptr;
}

// kd/writers/engine/writer.h
struct MyWriter {
  std::unique_ptr<writers::Writer> open(const std::filesystem::path& workdir,
                                        const std::string& collection,
                                        std::optional<std::int64_t> resume_at) const;
};
std::unique_ptr<writers::Writer> MyWriter::open(const std::filesystem::path&, const std::string&,
                                                std::optional<std::int64_t>) const {
  return nullptr;
}

}  // namespace

KD_COMPONENT(kd::Checkpoints, InMemory);
KD_COMPONENT(kd::PreservationPolicy, FirstAndLast);
KD_COMPONENT(kd::RunStrategy, MyStrategy);
KD_COMPONENT(kd::ExporterFn, MyExporter);
KD_COMPONENT(kd::ProfilerFn, MyProfiler);
KD_COMPONENT(kd::MetricWriter, MyWriter);

namespace {

TEST(HeadersOwn, AConfigTakesThem) {
  konfig::Config<train::Trainer> cfg;
  cfg.checkpointer = InMemory{};
  EXPECT_TRUE(cfg.checkpointer.holds<InMemory>());
  cfg.checkpointer =
      ckpts::Checkpointer{.save_interval_steps = 100, .preservation_policy = FirstAndLast{}};
  cfg.exporter = MyExporter{};
  cfg.profiler = MyProfiler{};
  cfg.writer = MyWriter{};
  EXPECT_TRUE(cfg.writer.holds<MyWriter>());
  EXPECT_TRUE(evals::should_eval_in_train(Poly<RunStrategy>(MyStrategy{}), 3));
  EXPECT_FALSE(evals::should_eval_in_train(Poly<RunStrategy>(MyStrategy{}), 4));
}

}  // namespace
