// Position embeddings: what tells tokens apart that hold the same.
//
// They are called with the shape of the tokens and the axes along which places differ, counted from
// the end; the features, axis -1, are always among them: `pos_embedding(shape, nn::Ints(-2))`.
#pragma once

#include <string>
#include <vector>

#include "kd/nn/initializers/initializers.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd::nn {

using Shape = std::vector<std::int64_t>;

// A parameter for each place, of the size of `axis` and the features.
struct LearnedEmbedding : Module<LearnedEmbedding> {
  DType dtype = DType::float32;                                       // of the parameter
  Poly<Initializer> emb_init = initializers::Normal{.stddev = 0.02};  // of the parameter
  std::string emb_name = "embeddings";                                // name of the parameter

  static constexpr std::string_view call_names[] = {"shape", "axis"};
  Tensor call(const Shape& shape, const Ints& axis) const;
};

// Sines and cosines of the place, mapped to the features by a Dense layer.
struct FourierEmbedding : Module<FourierEmbedding> {
  Required<int> num_fourier_bases;  // waves per axis, each twice as fast as the one before

  static constexpr std::string_view call_names[] = {"shape", "axis"};
  Tensor call(const Shape& shape, const Ints& axis) const;
};

// Zero: no embedding.
struct ZeroEmbedding : Module<ZeroEmbedding> {
  DType dtype = DType::float32;  // of the zeros

  static constexpr std::string_view call_names[] = {"shape", "axis"};
  Tensor call(const Shape& shape, const std::optional<Ints>& axis = {}) const;
};

// Adds an embedding to its input, for example in a Sequential.
struct AddEmbedding : Module<AddEmbedding> {
  Poly<kd::Module> emb = {};  // LearnedEmbedding, FourierEmbedding, ...
  Required<Ints> axis;        // along which places differ: -2 for tokens (*b, n, d)

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

// Deprecated in the reference: AddEmbedding with LearnedEmbedding does the same.
struct AddLearnedEmbedding : Module<AddLearnedEmbedding> {
  Poly<Initializer> emb_init = initializers::Normal{.stddev = 0.02};  // of the parameter
  Ints axes = {-2, -1};  // sizes that the parameter has

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

// Sines and cosines of 1, 2, 4, ... times the inputs, `basis_degree` of each: (..., d) to
// (..., 2 * d * basis_degree).
Tensor convert_to_fourier_features(const Tensor& inputs, int basis_degree);

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::LearnedEmbedding, "kauldron.kd:nn.LearnedEmbedding");
KONFIG_COMPONENT(kd::Module, kd::nn::FourierEmbedding, "kauldron.kd:nn.FourierEmbedding");
KONFIG_COMPONENT(kd::Module, kd::nn::ZeroEmbedding, "kauldron.kd:nn.ZeroEmbedding");
KONFIG_COMPONENT(kd::Module, kd::nn::AddEmbedding, "kauldron.kd:nn.AddEmbedding");
KONFIG_COMPONENT(kd::Module, kd::nn::AddLearnedEmbedding, "kauldron.kd:nn.AddLearnedEmbedding");
