// Gradients with respect to trees.
//
//   Tree params = tracked(state.params);
//   Tensor loss = ...;                     // computed from params
//   Tree grads = grad(loss, params);
#pragma once

#include <vector>

#include "kd/core/tree.h"

namespace kd {

// The same values, of which gradients can be taken. Whole numbers have none and stay as they are.
Tree tracked(const Tree& tree);
Tensor tracked(const Tensor& tensor);

// d loss / d input, of the inputs' shapes: zeros for an input that the loss does not depend on.
// `keep_graph` allows another gradient of the same computation; `differentiable`, of this one.
struct GradOptions {
  bool keep_graph = false;
  bool differentiable = false;
};
Tree grad(const Tensor& loss, const Tree& inputs, const GradOptions& options = {});
std::vector<Tensor> grad(const Tensor& loss, const std::vector<Tensor>& inputs,
                         const GradOptions& options = {});

}  // namespace kd
