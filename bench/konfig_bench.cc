// Config operations: build, copy, JSON, print, parse and resolve, for the autoencoder example and
// for synthetic trees, whose times must grow linearly. bench/peers/konfig.py does the same in
// Kauldron; bench/compare_konfig prints both.
#include <benchmark/benchmark.h>

#include "konfig/config_registry.h"
#include "konfig/konfig.h"

namespace {

using namespace konfig;

ConfigDict autoencoder() { return find_config("mnist_autoencoder")->make(None{}); }

// A tree of plain nodes with fan-out 10 and three scalars a node, filled level by level.
ConfigDict tree(std::int64_t size) {
  std::vector<ConfigDict> nodes;
  for (std::int64_t i = 0; i < size; ++i) {
    nodes.push_back(ConfigDict{{"index", i},
                               {"rate", static_cast<double>(i) * 0.5},
                               {"name", "node_" + std::to_string(i)}});
  }
  for (std::int64_t i = size - 1; i > 0; --i) {
    auto parent = static_cast<std::size_t>((i - 1) / 10);
    nodes[parent].set("child_" + std::to_string((i - 1) % 10), nodes[static_cast<std::size_t>(i)]);
  }
  return nodes[0];
}

// What resolves without a dataset, as in the peer.
void resolve_parts(const ConfigDict& cfg) {
  for (auto* part :
       {"model", "train_losses", "train_metrics", "train_summaries", "optimizer", "checkpointer"}) {
    benchmark::DoNotOptimize(resolve(cfg.get(part)));
  }
  benchmark::DoNotOptimize(resolve(cfg["train_ds"]["transforms"].get()));
  benchmark::DoNotOptimize(resolve(cfg["evals"]["eval"]["run"].get()));
}

template <class Operation>
void run(benchmark::State& state, Operation operation) {
  for (auto _ : state) benchmark::DoNotOptimize(operation());
}

template <class Build, class Resolve>
void add(const std::string& name, Build build, Resolve resolve) {
  auto add_one = [&](const char* operation, auto make) {
    benchmark::RegisterBenchmark((name + "/" + operation).c_str(), [=](benchmark::State& state) {
      run(state, make());
    })->Unit(benchmark::kMillisecond);
  };
  add_one("build", [=] { return build; });
  add_one("copy", [=] { return [cfg = build()] { return cfg.copy(); }; });
  add_one("json", [=] { return [cfg = build()] { return to_json(cfg); }; });
  add_one("print", [=] { return [cfg = build()] { return repr(cfg); }; });
  add_one("parse", [=] { return [text = to_json(build())] { return config_from_json(text); }; });
  add_one("resolve", [=] { return [cfg = build(), resolve] { return resolve(cfg), 0; }; });
}

}  // namespace

int main(int argc, char** argv) {
  add("autoencoder", autoencoder, resolve_parts);
  for (std::int64_t size : {100, 1'000, 10'000, 100'000}) {
    add(
        "synthetic_" + std::to_string(size), [size] { return tree(size); },
        [](const ConfigDict& cfg) { benchmark::DoNotOptimize(resolve(Value(cfg))); });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
