// Dropout that follows the train property.
#pragma once

#include <optional>
#include <string>

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kd/random/key.h"

namespace kd::nn {

// In training drops a fraction of the values and scales up the rest; else gives back its input.
struct Dropout : Module<Dropout> {
  Required<double> rate;                   // fraction of values dropped
  Ints broadcast_dims = {};                // along these all values share one fate
  std::optional<bool> deterministic = {};  // must stay None: the train property decides
  std::string rng_collection = "dropout";  // stream of random keys

  static constexpr std::string_view call_names[] = {"inputs", "rng"};
  Tensor call(const Tensor& inputs, const std::optional<random::Key>& rng = {}) const;
  void konfig_post_resolve(const konfig::ConfigDict& cfg);
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Dropout, "kauldron.kd:nn.Dropout");
