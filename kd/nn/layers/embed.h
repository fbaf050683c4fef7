// Embed: whole numbers to learned vectors.
#pragma once

#include <optional>

#include "kd/nn/initializers/initializers_scaled.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd::nn {

// A learned vector for each of the numbers from 0 to num_embeddings - 1.
struct Embed : Module<Embed> {
  Required<int> num_embeddings;        // how many vectors
  Required<int> features;              // size of a vector
  std::optional<DType> dtype = {};     // of the vectors that come out
  DType param_dtype = DType::float32;  // of the parameter
  // Makes the table (num_embeddings, features).
  Poly<Initializer> embedding_init =
      initializers::VarianceScaling{.scale = 1.0,
                                    .mode = initializers::Mode::fan_in,
                                    .distribution = initializers::Distribution::normal,
                                    .out_axis = 0};
  Unused promote_dtype = {};  // None only

  static constexpr std::string_view call_names[] = {"inputs"};
  // (...) to (..., features). A number out of range is an Error.
  Tensor call(const Tensor& inputs) const;
  // How much a vector is like each of the table's: (..., features) to (..., num_embeddings). Shares
  // the table, so that a language model reads and writes with one.
  Tensor attend(const Tensor& query) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Embed, "flax.linen:Embed");
