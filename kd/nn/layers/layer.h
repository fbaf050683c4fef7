// Layer: one of the steps of a Sequential, a module or a function of one tensor.
//
//   cfg.model = nn::Sequential{
//       .layers = {nn::Dense{.features = 4}, "flax.linen:relu", nn::Dense{.features = 2}}};
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd::nn {

struct Layer : std::variant<Poly<kd::Module>, Activation> {
  static constexpr std::string_view konfig_name = "a module or a function of one tensor";

  Layer() = default;
  Layer(Poly<kd::Module> module) : variant(std::move(module)) {}
  Layer(Activation function) : variant(std::move(function)) {}
  Layer(const char* function) : variant(Activation(function)) {}
  template <class M>
  requires(konfig::implements<kd::Module, M>) Layer(M module)
      : variant(Poly<kd::Module>(std::move(module))) {}
  template <class M>
  requires(konfig::implements<kd::Module, M>) Layer(const konfig::Handle<M>& module)
      : variant(Poly<kd::Module>(module)) {}
};

// How a result is handed to the next layer: a tuple as several arguments, a dict (or struct) as
// named ones, anything else as one.
Arguments splat(const kontext::TreeRef& result);

// One layer after the other; without layers the only argument is the result.
Out run_layers(const std::vector<Layer>& layers, const Arguments& args);

}  // namespace kd::nn
