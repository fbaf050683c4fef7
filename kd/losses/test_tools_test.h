// What the tests of losses share.
#pragma once

#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>

#include <functional>
#include <string>

#include "kd/losses/contrib.h"
#include "kd/losses/engine/loss.h"
#include "kd/losses/losses.h"
#include "konfig/expect_test.h"

namespace kd::losses {

// {preds: {x}, batch: {y, ...}, step}
inline Tree context_of(Tree preds, Tree targets, int step = 0) {
  return Tree::dict({{"preds", Tree::dict({{"x", std::move(preds)}})},
                     {"batch", Tree::dict({{"y", std::move(targets)}})},
                     {"step", at::tensor(step)}});
}

inline double number(const Tensor& tensor) { return tensor.item().toDouble(); }

using konfig::error_of;

}  // namespace kd::losses
