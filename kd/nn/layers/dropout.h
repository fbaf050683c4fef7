// Flax's Dropout, which is told whether it drops. kd::nn::Dropout asks the train property instead.
#pragma once

#include <optional>
#include <string>

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kd/random/key.h"

namespace kd::nn::linen {

// Sets a random fraction of the values to 0 and scales up the others, so that the mean stays.
struct Dropout : Module<Dropout> {
  Required<double> rate;                   // fraction of values dropped
  Ints broadcast_dims = {};                // dimensions along which the choice is the same
  std::optional<bool> deterministic = {};  // drops nothing; may be given to the call instead
  std::string rng_collection = "dropout";  // the random stream

  static constexpr std::string_view call_names[] = {"inputs", "deterministic", "rng"};
  Tensor call(const Tensor& inputs, const std::optional<bool>& deterministic = {},
              const std::optional<random::Key>& rng = {}) const;
};

}  // namespace kd::nn::linen

KONFIG_COMPONENT(kd::Module, kd::nn::linen::Dropout, "flax.linen:Dropout");
