// Milliseconds of a training step (forward, backward, update) of three models, and of their parts:
//   build/bench/step [autoencoder|vit|cnn|overhead]
// The models are those of bench/peers/step_*.py; bench/compare_step runs all and prints ratios.
#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "kd/core/grad.h"
#include "kd/core/ops.h"
#include "kd/engine/engine.h"
#include "kd/nn/attention/attention.h"
#include "kd/nn/engine/nn.h"
#include "kd/optim/components.h"
#include "kd/optim/engine/stepper.h"

namespace {

using namespace kd;

constexpr int kWidth = 192, kHeads = 3, kLayers = 6, kMlp = 768, kPatch = 4, kBatch = 64;

struct Autoencoder : nn::Module<Autoencoder> {
  Tensor call(const Tensor& x) const {
    return nn::Dense{.features = 784}(nn::Dense{.features = 128}(x));
  }
};

struct Block : nn::Module<Block> {
  Tensor call(Tensor x) const {
    x = x + nn::linen::MultiHeadDotProductAttention{.num_heads = kHeads}(nn::LayerNorm{}(x));
    Tensor y = nn::gelu(nn::Dense{.features = kMlp}(nn::LayerNorm{}(x)));
    return x + nn::Dense{.features = kWidth}(y);
  }
};

struct Vit : nn::Module<Vit> {
  Tensor call(Tensor x) const {
    x = nn::Conv{
        .features = kWidth, .kernel_size = {kPatch, kPatch}, .strides = {kPatch, kPatch}}(x);
    x = x.reshape({x.size(0), -1, kWidth});
    x = x + nn::param("pos", {1, x.size(1), kWidth}, nn::initializers::Normal{.stddev = 0.02});
    for (int i = 0; i < kLayers; ++i) x = Block{}(x);
    return nn::Dense{.features = 10}(nn::LayerNorm{}(x).mean(1));
  }
};

struct Cnn : nn::Module<Cnn> {
  Tensor call(Tensor x) const {
    for (int features : {32, 64, 128}) {
      x = nn::Conv{.features = features, .kernel_size = {3, 3}}(x);
      x = nn::relu(nn::GroupNorm{.num_groups = 8}(x));
      x = nn::relu(nn::Conv{.features = features, .kernel_size = {3, 3}, .strides = 2}(x));
    }
    return nn::Dense{.features = 10}(x.mean({1, 2}));
  }
};

struct Mlp : nn::Module<Mlp> {
  Tensor call(const Tensor& x) const {
    return nn::Dense{.features = 10}(nn::relu(nn::Dense{.features = 128}(x)));
  }
};

double milliseconds(const std::function<void()>& f) {
  auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

struct Times {
  double median, best;
};
Times times_of(int n, const std::function<void()>& f) {
  std::vector<double> all;
  for (int i = 0; i < n; ++i) all.push_back(milliseconds(f));
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all.front()};
}

void print(const char* name, const Times& times) {
  std::printf("kd %s: median %.2f ms, best %.2f ms\n", name, times.median, times.best);
  std::fflush(stdout);
}

using Loss = std::function<Tensor(const Tensor& out, const Tensor& x, const Tensor& labels)>;

// Batches are gathered from as many images as Fashion-MNIST has, in the timed step, as in the
// peers.
template <class Model>
void measure(const char* name, const Model& model, const Poly<Optimizer>& optimizer,
             const Loss& loss, const Tensor& images, int batch, int n) {
  Tensor labels = at::randint(10, {images.size(0)}, at::kLong);
  auto to_float = [&](const Tensor& index) {
    return images.index_select(0, index).to(at::kFloat) / 255;
  };
  Tensor first = at::randint(images.size(0), {batch}, at::kLong);
  Tree params = model.init({.rngs = random::key(0)}, to_float(first))["params"];
  optim::Stepper stepper(optimizer);
  Tree state = stepper.init(params);
  print(name, times_of(n, [&] {
          Tensor index = at::randint(images.size(0), {batch}, at::kLong);
          Tensor x = to_float(index);
          Tree followed = tracked(params);
          Tensor out = model.apply(Tree::dict({{"params", followed}}), {}, x);
          Tensor value = loss(out, x, labels.index_select(0, index));
          stepper.step(params, grad(value, followed), state);
          value.item<float>();
        }));
}

// The matrix products of a dense layer: the forward one, and those of the gradients of the kernel
// and, unless the input is data, of the input.
std::function<void()> products(std::int64_t rows, std::int64_t in, std::int64_t out,
                               bool of_data = false) {
  Tensor x = at::randn({rows, in}), w = at::randn({in, out}), dy = at::randn({rows, out});
  return [=] {
    at::mm(x, w);
    if (!of_data) at::mm(dy, w.t());
    at::mm(x.t(), dy);
  };
}

// The matrix products of a step and nothing else.
void measure_autoencoder_products(int n) {
  const auto encoder = products(256, 784, 128, /*of_data=*/true), decoder = products(256, 128, 784);
  print("autoencoder_products", times_of(n, [&] {
          encoder();
          decoder();
        }));
}

void measure_vit_products(int n) {
  const std::int64_t batch = kBatch, width = kWidth, rows = batch * 49;
  std::vector<std::function<void()>> work = {
      products(rows, width, 3 * width), products(rows, kWidth, kWidth),
      products(rows, kWidth, kMlp), products(rows, kMlp, kWidth)};
  Tensor q = at::randn({batch * kHeads, 49, width / kHeads});
  Tensor a = at::randn({batch * kHeads, 49, 49});
  work.push_back([=] {
    for (int i = 0; i < 3; ++i) at::bmm(q, q.transpose(1, 2));
    for (int i = 0; i < 3; ++i) at::bmm(a, q);
  });
  print("vit_products", times_of(n, [&] {
          for (int layer = 0; layer < kLayers; ++layer) {
            for (auto& f : work) f();
          }
        }));
}

// The same small network by modules and by bare calls of libtorch, step for step in turn.
void measure_overhead() {
  Tensor x = at::randn({64, 784}), labels = at::randint(10, {64}, at::kLong);
  Mlp model;
  Tree params = model.init({.rngs = random::key(0)}, x)["params"];
  optim::Stepper stepper(optim::Adam{.learning_rate = 1e-3});
  Tree state = stepper.init(params);
  auto finish = [&](const Tensor& out, const Tree& followed) {
    stepper.step(params, grad(at::cross_entropy_loss(out, labels), followed), state);
  };
  auto by_modules = [&] {
    Tree followed = tracked(params);
    Tensor out = model.apply(Tree::dict({{"params", followed}}), {}, x);
    finish(out, followed);
  };
  auto bare = [&] {
    Tree followed = tracked(params);
    auto p = [&](const char* layer, const char* name) { return followed[layer][name].tensor(); };
    Tensor h = at::relu(at::addmm(p("Dense_0", "bias"), x, p("Dense_0", "kernel")));
    finish(at::addmm(p("Dense_1", "bias"), h, p("Dense_1", "kernel")), followed);
  };
  std::vector<double> modules, plain;
  // Each as often first as second: what comes after the other finds other memory in the caches.
  for (int i = 0; i < 3000; ++i) {
    if (i % 2 == 0) modules.push_back(milliseconds(by_modules));
    plain.push_back(milliseconds(bare));
    if (i % 2 == 1) modules.push_back(milliseconds(by_modules));
  }
  auto median = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + static_cast<long>(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  double with = median(modules), without = median(plain);
  std::printf("kd mlp: by modules %.4f ms, bare %.4f ms, overhead %.1f %%\n", with, without,
              100 * (with / without - 1));
}

Tensor xent(const Tensor& out, const Tensor&, const Tensor& labels) {
  return at::cross_entropy_loss(out, labels);
}

}  // namespace

int main(int argc, char** argv) {
  std::string only = argc > 1 ? argv[1] : "";
  auto wanted = [&](const char* name) { return only.empty() || only == name; };
  engine::configure();
  Tensor images = at::randint(256, {60000, 28, 28, 1}, at::kByte);
  if (wanted("autoencoder")) {
    measure_autoencoder_products(300);
    measure(
        "autoencoder", Autoencoder{}, optim::Adam{.learning_rate = 3e-3},
        [](const Tensor& out, const Tensor& x, const Tensor&) { return at::mse_loss(out, x); },
        images.view({-1, 784}), 256, 300);
  }
  if (wanted("vit")) {
    measure_vit_products(15);
    measure("vit", Vit{}, optim::AdamW{.learning_rate = 1e-3}, xent, images, kBatch, 25);
  }
  if (wanted("cnn")) {
    measure("cnn", Cnn{}, optim::AdamW{.learning_rate = 1e-3}, xent, images, kBatch, 40);
  }
  if (wanted("overhead")) measure_overhead();
}
