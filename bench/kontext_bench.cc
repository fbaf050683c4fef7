// Lookups by path: parsing, and reading with a path that was parsed before, over the kinds of
// trees. The time of one lookup divided by its parts is the number docs/kontext.md gives.
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "kontext/kontext.h"

namespace {

using namespace kontext;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Value;

constexpr std::string_view kText = "encoder.layers[1].attention.kernel";

struct Attention {
  float query = 1, key = 2, value = 3, kernel = 4;
};
struct Layer {
  float norm = 0;
  Attention attention = {};
};
struct Encoder {
  float embedding = 0;
  std::vector<Layer> layers = std::vector<Layer>(4);
};
struct Params {
  float step = 0;
  Encoder encoder = {};
};

Dict dict() {
  Dict attention = {{"query", 1}, {"key", 2}, {"value", 3}, {"kernel", 4.0}};
  Dict layer = {{"norm", 0}, {"attention", attention}};
  return {{"step", 0}, {"encoder", Dict{{"embedding", 0}, {"layers", List{layer, layer}}}}};
}

template <class T>
void lookup(benchmark::State& state, const T& tree) {
  const Path path = Path::parse(kText);
  TreeRef root = tree;
  for (auto _ : state) benchmark::DoNotOptimize(find_by_path(root, path).ptr());
  state.counters["per_part"] = benchmark::Counter(
      static_cast<double>(path.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void BM_StructLookup(benchmark::State& state) { lookup(state, Params{}); }
BENCHMARK(BM_StructLookup);

void BM_MapLookup(benchmark::State& state) {
  using Leaves = std::map<std::string, float>;
  using Layers = std::vector<std::map<std::string, Leaves>>;
  Leaves attention = {{"query", 1}, {"key", 2}, {"value", 3}, {"kernel", 4}};
  Layers layers(4, {{"attention", attention}, {"norm", {}}});
  std::map<std::string, std::map<std::string, Layers>> tree = {{"encoder", {{"layers", layers}}},
                                                               {"step", {}}};
  lookup(state, tree);
}
BENCHMARK(BM_MapLookup);

void BM_DictLookup(benchmark::State& state) { lookup(state, Value(dict())); }
BENCHMARK(BM_DictLookup);

void BM_ConfigLookup(benchmark::State& state) { lookup(state, ConfigDict(dict())); }
BENCHMARK(BM_ConfigLookup);

void BM_Parse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Path::parse(kText));
}
BENCHMARK(BM_Parse);

void BM_Print(benchmark::State& state) {
  const Path path = Path::parse(kText);
  for (auto _ : state) benchmark::DoNotOptimize(path.str());
}
BENCHMARK(BM_Print);

// A parameter tree of `range` layers with 4 leaves each.
using Tree = std::map<std::string, std::map<std::string, float>>;
Tree layers(std::int64_t n) {
  Tree out;
  for (std::int64_t i = 0; i < n; ++i) {
    out["layer_" + std::to_string(i)] = {{"bias", 0}, {"kernel", 1}, {"scale", 2}, {"mean", 3}};
  }
  return out;
}

void BM_Flatten(benchmark::State& state) {
  Tree tree = layers(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(flatten_with_path(tree));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_Flatten)->RangeMultiplier(10)->Range(10, 10000)->Complexity();

void BM_SetGlob(benchmark::State& state) {
  Tree tree = layers(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(set_by_path(tree, "**.kernel", 2));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_SetGlob)->RangeMultiplier(10)->Range(10, 10000)->Complexity();

void BM_Filter(benchmark::State& state) {
  Tree tree = layers(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(filter_by_path(tree, "**.kernel"));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_Filter)->RangeMultiplier(10)->Range(10, 10000)->Complexity();

}  // namespace
