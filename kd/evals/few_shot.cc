// Ridge regression by eigenvalues, so that further regularizations cost little.
#include "kd/evals/few_shot_impl.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/ones_like.h>

#include <string>

#include "kd/data/order/generator.h"
#include "konfig/error.h"

namespace kd::evals {

std::vector<std::int64_t> choose_examples(const Tensor& labels, int num_classes, int shots,
                                          int seed) {
  std::vector<std::vector<std::int64_t>> of_class(static_cast<std::size_t>(num_classes));
  const Tensor classes = labels.to(at::kLong).contiguous();
  const auto* label = classes.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < classes.numel(); ++i) {
    if (label[i] >= 0 && label[i] < num_classes) {
      of_class[static_cast<std::size_t>(label[i])].push_back(i);
    }
  }
  data::Generator random = data::Generator::default_rng(static_cast<std::uint64_t>(seed));
  std::vector<std::int64_t> out;
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    random.shuffle(of_class[c]);
    if (of_class[c].size() < static_cast<std::size_t>(shots)) {
      throw konfig::Error(konfig::ErrorKind::value, "ds_train",
                          "class " + std::to_string(c) + " has " +
                              std::to_string(of_class[c].size()) + " examples; num_shots wants " +
                              std::to_string(shots));
    }
    out.insert(out.end(), of_class[c].begin(), of_class[c].begin() + shots);
  }
  return out;
}

Ridge::Ridge(const Examples& training, int num_classes) {
  const Tensor x0 = training.features.to(at::kDouble);
  mean_ = x0.mean(0, /*keepdim=*/true);
  std_ = x0.std(at::IntArrayRef{0}, /*unbiased=*/false, /*keepdim=*/true) + 1e-5;
  const Tensor x = with_bias(x0);
  const Tensor classes = at::arange(num_classes, at::kLong);
  const Tensor y =
      training.labels.to(at::kLong).unsqueeze(1).eq(classes).to(at::kDouble) * 2.0 - 1.0;
  // Of the smaller of the two matrices: x'x, or xx' when there are more features than examples.
  Tensor vectors;
  if (x.size(0) >= x.size(1)) {
    std::tie(eigenvalues_, vectors) = at::linalg_eigh(x.t().mm(x));
    left_ = vectors;
    right_ = vectors.t().mm(x.t().mm(y));
  } else {
    std::tie(eigenvalues_, vectors) = at::linalg_eigh(x.mm(x.t()));
    left_ = x.t().mm(vectors);
    right_ = vectors.t().mm(y);
  }
}

// A large constant feature: the bias is hardly regularized.
Tensor Ridge::with_bias(const Tensor& features) const {
  const Tensor x = (features.to(at::kDouble) - mean_) / std_;
  return at::cat({x, at::full({x.size(0), 1}, 100.0, at::kDouble)}, 1);
}

double Ridge::accuracy(const Examples& tests, double l2) const {
  const Tensor weights = (left_ / (eigenvalues_ + l2).unsqueeze(0)).mm(right_);
  const Tensor guess = with_bias(tests.features).mm(weights).argmax(1);
  return guess.eq(tests.labels.to(at::kLong)).to(at::kDouble).mean().item<double>();
}

}  // namespace kd::evals
