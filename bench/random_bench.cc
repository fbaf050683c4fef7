// Random draws against libtorch's own, on the same threads and in turns, so that a busy machine
// slows both alike. The counter `ratio` is our time divided by libtorch's: the number
// docs/random.md gives.
#include <ATen/Parallel.h>
#include <ATen/ops/bernoulli.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "kd/random/sample.h"

namespace {

using kd::Tensor;
using namespace kd::random;

constexpr std::int64_t kSize = 16 << 20;

template <class F>
double seconds(const F& f) {
  auto begin = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(f());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One draw of each per iteration; the iteration's time is ours.
template <class Ours, class Theirs>
void compare(benchmark::State& state, const Ours& ours, const Theirs& theirs) {
  at::set_num_threads(static_cast<int>(state.range(0)));
  seconds(ours), seconds(theirs);  // memory and threads are there from here on
  std::vector<double> a, b;
  for (auto unused : state) {
    a.push_back(seconds(ours));
    b.push_back(seconds(theirs));
    state.SetIterationTime(a.back());
  }
  state.counters["libtorch_ms"] = median(b) * 1e3;
  state.counters["ratio"] = median(a) / median(b);
}

void Normal(benchmark::State& state) {
  compare(
      state, [] { return normal(key(1), {kSize}); }, [] { return at::randn({kSize}); });
}
void Uniform(benchmark::State& state) {
  compare(
      state, [] { return uniform(key(1), {kSize}); }, [] { return at::rand({kSize}); });
}
void TruncatedNormal(benchmark::State& state) {
  compare(
      state, [] { return truncated_normal(key(1), {kSize}, -2, 2); },
      [] { return at::randn({kSize}); });
}
void Bernoulli(benchmark::State& state) {
  Tensor mask = at::empty({kSize}, at::TensorOptions(at::kBool));
  compare(
      state, [] { return bernoulli(key(1), {kSize}, 0.9); }, [&] { return mask.bernoulli_(0.9); });
}
void Permutation(benchmark::State& state) {
  compare(
      state, [] { return permutation(key(1), 1 << 20); }, [] { return at::randperm(1 << 20); });
}

// 1 and 2 threads.
#define KD_BENCH(name)                                                        \
  BENCHMARK(name)->ArgName("threads")->Arg(1)->Arg(2)->UseManualTime()->Unit( \
      benchmark::kMillisecond)
KD_BENCH(Normal);
KD_BENCH(Uniform);
KD_BENCH(TruncatedNormal);
KD_BENCH(Bernoulli);
KD_BENCH(Permutation);

// What the keys of one step cost.
void FoldInName(benchmark::State& state) {
  Key root = key(1);
  for (auto unused : state) benchmark::DoNotOptimize(fold_in(root, "encoder/layers_0/dropout"));
}
BENCHMARK(FoldInName);

void SmallNormal(benchmark::State& state) {
  for (auto unused : state) benchmark::DoNotOptimize(normal(key(1), {state.range(0)}));
}
BENCHMARK(SmallNormal)->Arg(1)->Arg(128)->Arg(16384);

}  // namespace
