// What the tests of layers share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kd/nn/engine/nn.h"
#include "kd/nn/gradients_test.h"
#include "konfig/expect_test.h"

namespace kd::nn {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Sizes = std::vector<std::int64_t>;

// Normal numbers, the same each time.
inline Tensor noise(Sizes shape, std::int64_t seed = 0, at::ScalarType type = at::kDouble) {
  return random::normal(random::key(seed), shape, type);
}

inline Sizes sizes(const Tensor& x) { return x.sizes().vec(); }

// The largest error of a module's gradients with respect to parameters and input. The module's
// parameters must be float64.
template <class M>
double module_gradient_error(const M& module, const Tensor& x, const With& with = {}) {
  With first = with;
  first.rngs.emplace("params", random::key(7));
  Tree at = Tree::dict({{"x", x}});
  if (Tree variables = module.init(first, x); variables.contains("params")) {
    at["params"] = variables["params"];
  }
  return gradient_error(
      [&](const Tree& tree) {
        Tree variables = Tree::dict();
        if (tree.contains("params")) variables["params"] = tree["params"];
        return Tensor(module.apply(variables, with, tree["x"].tensor()).out);
      },
      at);
}

using konfig::error_of;

// A model with one part, so that errors have a place: `part` is what it is called.
template <class M>
struct Holder : Module<Holder<M>> {
  M part = {};
  Tensor call(const Tensor& x) const { return Tensor(part(x)); }
};

template <class M>
std::string init_error(const M& module, const Tensor& x) {
  Holder<M> holder;
  holder.part = module;
  return error_of([&] { holder.init({.rngs = random::key(0)}, x); });
}

}  // namespace kd::nn
