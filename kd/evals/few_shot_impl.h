// Classification from a few examples: ridge regression in closed form. Library only.
#pragma once

#include <cstdint>
#include <vector>

#include "kd/core/tensor.h"

namespace kd::evals {

// Features (n, d) and the classes (n,) they belong to.
struct Examples {
  Tensor features;
  Tensor labels;
};

// `shots` examples of each class, in the order that the reference draws them: numpy's
// default_rng(seed) shuffles the examples of each class in turn. An Error when there are too few.
std::vector<std::int64_t> choose_examples(const Tensor& labels, int num_classes, int shots,
                                          int seed);

// The part of `tests` that is classified right by ridge regression on `training`, for each
// regularization. Features are whitened; the targets are 1 for the class and -1 for the others.
class Ridge {
 public:
  Ridge(const Examples& training, int num_classes);
  double accuracy(const Examples& tests, double l2) const;

 private:
  Tensor with_bias(const Tensor& features) const;

  Tensor mean_, std_;
  // The weights for a regularization are left diag(1 / (eigenvalues + l2)) right.
  Tensor eigenvalues_, left_, right_;
};

}  // namespace kd::evals
