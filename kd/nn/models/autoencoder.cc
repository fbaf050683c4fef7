// FlatAutoencoder.
#include "kd/nn/models/autoencoder.h"

#include "base/shape_text.h"
#include "kd/core/tree.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

std::string output_key(const Key& inputs) {
  constexpr std::string_view kBatch = "batch.";
  const std::string& key = inputs.str();
  return key.starts_with(kBatch) ? key.substr(kBatch.size()) : key;
}

}  // namespace

Tree FlatAutoencoder::call(const Tensor& x) const {
  if (x.dim() == 0) detail::fail("the input is a single number, it needs a batch dimension");
  Tensor y = decoder(encoder(x.flatten(1)));
  if (y.numel() != x.numel()) {
    detail::fail("the decoder gives " + base::tuple_text(y.sizes()) +
                 ", which cannot become the input's shape " + base::tuple_text(x.sizes()));
  }
  return Tree::dict({{output_key(inputs), y.reshape(x.sizes())}});
}

}  // namespace kd::nn
