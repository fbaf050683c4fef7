// Optimizer steps over the parameters of a small vision transformer: fused, plain, and libtorch's
// own fused kernels.
#include <benchmark/benchmark.h>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "kd/core/ops.h"
#include "kd/optim/components.h"
#include "kd/optim/engine/stepper.h"
#include "kd/optim/engine/transform.h"

namespace {

using kd::Optimizer;
using kd::Poly;
using kd::Tensor;
using kd::Tree;
using namespace kd::optim;

constexpr std::int64_t kWidth = 192, kHidden = 768, kHeads = 3, kLayers = 6;

Tree dense(at::IntArrayRef kernel, at::IntArrayRef bias) {
  return Tree::dict({{"kernel", at::randn(kernel)}, {"bias", at::randn(bias)}});
}

Tree norm() { return Tree::dict({{"scale", at::randn({kWidth})}, {"bias", at::randn({kWidth})}}); }

// 104 leaves, 3.1 million numbers.
Tree transformer() {
  const std::int64_t per_head = kWidth / kHeads;
  Tree out = Tree::dict({{"embedding", dense({16, 16, 3, kWidth}, {kWidth})},
                         {"cls", at::randn({1, 1, kWidth})},
                         {"positions", at::randn({1, 197, kWidth})},
                         {"norm", norm()},
                         {"head", dense({kWidth, 1000}, {1000})}});
  for (std::int64_t i = 0; i < kLayers; ++i) {
    Tree attention = Tree::dict({{"out", dense({kHeads, per_head, kWidth}, {kWidth})}});
    for (const char* name : {"query", "key", "value"}) {
      attention[name] = dense({kWidth, kHeads, per_head}, {kHeads, per_head});
    }
    out["layer_" + std::to_string(i)] = Tree::dict({{"norm_0", norm()},
                                                    {"norm_1", norm()},
                                                    {"attention", attention},
                                                    {"mlp_0", dense({kWidth, kHidden}, {kHidden})},
                                                    {"mlp_1", dense({kHidden, kWidth}, {kWidth})}});
  }
  return out;
}

Poly<Optimizer> adamw() { return AdamW{.learning_rate = 1e-3, .weight_decay = 0.05}; }

Poly<Optimizer> sgd() { return Sgd{.learning_rate = 1e-3, .momentum = 0.9}; }

Poly<Optimizer> recipe() {
  return Chain{
      {ClipByGlobalNorm{1.0},
       AdamW{.learning_rate =
                 WarmupCosineDecay{.peak_value = 1e-3, .warmup_steps = 100, .decay_steps = 100000},
             .weight_decay = 0.05,
             .mask = Select{"kernel"}}}};
}

Poly<Optimizer> recipe_with_ema() { return Chain{{recipe(), EmaParams{.decay = 0.999}}}; }

void fused(benchmark::State& state, const Poly<Optimizer>& optimizer) {
  Tree params = transformer();
  const Tree grads = transformer();
  Stepper stepper(optimizer);
  Tree opt_state = stepper.init(params);
  for (auto _ : state) stepper.step(params, grads, opt_state);
  if (!stepper.last_was_fused()) state.SkipWithError("not fused");
  state.counters["leaves"] = static_cast<double>(kd::leaves(params).size());
  state.counters["numbers"] = static_cast<double>(kd::count(params));
}

// One tensor operation after the other, as written in kd/optim.
void plain(benchmark::State& state, const Poly<Optimizer>& optimizer) {
  Tree params = transformer();
  const Tree grads = transformer();
  const Stepper stepper(optimizer);
  Tree opt_state = stepper.init(params);
  for (auto _ : state) stepper.step_plain(params, grads, opt_state);
}

struct TorchState {
  std::vector<Tensor> params = kd::leaves(transformer()), grads = kd::leaves(transformer());
  std::vector<Tensor> mu, nu, steps;
  TorchState() {
    for (const Tensor& p : params) {
      mu.push_back(at::zeros_like(p));
      nu.push_back(at::zeros_like(p));
      steps.push_back(at::zeros({}));
    }
  }
};

void torch_fused_adamw(benchmark::State& state) {
  at::NoGradGuard no_grad;
  TorchState s;
  for (auto _ : state) {
    at::_foreach_add_(s.steps, 1);
    at::_fused_adamw_(s.params, s.grads, s.mu, s.nu, {}, s.steps, 1e-3, 0.9, 0.999, 0.05, 1e-8,
                      /*amsgrad=*/false, /*maximize=*/false);
  }
}

void torch_fused_sgd(benchmark::State& state) {
  at::NoGradGuard no_grad;
  TorchState s;
  for (auto _ : state) {
    at::_fused_sgd_(s.params, s.grads, s.mu, 0.0, 0.9, 1e-3, 0.0, /*nesterov=*/false,
                    /*maximize=*/false, /*is_first_step=*/false);
  }
}

BENCHMARK_CAPTURE(fused, adamw, adamw())->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(plain, adamw, adamw())->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(torch_fused_adamw)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(fused, sgd, sgd())->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(plain, sgd, sgd())->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(torch_fused_sgd)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(fused, recipe, recipe())->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(plain, recipe, recipe())->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(fused, recipe_with_ema, recipe_with_ema())
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(plain, recipe_with_ema, recipe_with_ema())
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

}  // namespace
