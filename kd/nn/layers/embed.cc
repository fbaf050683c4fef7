// Embed: a table of vectors.
#include "kd/nn/layers/embed.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/matmul.h>

#include "base/shape_text.h"
#include "kd/core/dtype_name.h"
#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

Tensor table_of(const Embed& embed) {
  return param("embedding", {embed.num_embeddings, embed.features}, embed.embedding_init,
               scalar_type(embed.param_dtype));
}

}  // namespace

Tensor Embed::call(const Tensor& inputs) const {
  if (!c10::isIntegralType(inputs.scalar_type(), /*includeBool=*/false)) {
    detail::fail("the input must be whole numbers, it is " +
                 std::string(dtype_name(inputs.scalar_type())));
  }
  Tensor table = table_of(*this);
  table = cast(table, computation_type(dtype, {&table}, /*inexact=*/false));
  if (num_embeddings == 1) {
    std::vector<std::int64_t> shape = inputs.sizes().vec();
    shape.push_back(features);
    return table.expand(shape);
  }
  bool indexes = inputs.scalar_type() == at::kInt || inputs.scalar_type() == at::kLong;
  return at::embedding(table, indexes ? inputs : inputs.to(at::kLong));
}

Tensor Embed::attend(const Tensor& query) const {
  return in_scope([&] {
    if (query.dim() == 0 || query.size(-1) != features) {
      detail::fail("attend needs vectors of " + std::to_string(features) +
                   " features, the query is " + base::tuple_text(query.sizes()));
    }
    Tensor table = table_of(*this);
    auto type = computation_type(dtype, {&query, &table});
    return at::matmul(cast(query, type), cast(table, type).t());
  });
}

}  // namespace kd::nn
