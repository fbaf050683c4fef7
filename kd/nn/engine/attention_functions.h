// Attention as functions, and the masks for it.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>

#include "kd/core/dtype.h"
#include "kd/core/tensor.h"
#include "kd/random/key.h"

namespace kd::nn {

namespace linen {

// What attention takes besides queries, keys and values.
struct AttentionArgs {
  Tensor bias = {};                             // added, broadcast to (batch..., heads, q, k)
  Tensor mask = {};                             // where it is false (0), keys are not seen
  bool broadcast_dropout = true;                // the same in all heads and examples
  std::optional<random::Key> dropout_rng = {};  // needed to drop weights
  double dropout_rate = 0.0;                    // fraction of weights dropped
  bool deterministic = false;                   // drops nothing
  std::optional<DType> dtype = {};              // of the computation; None: the widest
  bool force_fp32_for_softmax = false;          // softmax in float32 at least
  bool sow_weights = false;                     // keeps them as `attention_weights`
};

// softmax(query @ key / sqrt(d)): query (batch..., q, heads, d) and key (batch..., k, heads, d) to
// (batch..., heads, q, k).
Tensor dot_product_attention_weights(const Tensor& query, const Tensor& key,
                                     const AttentionArgs& args = {});
// Those weights times value (batch..., k, heads, d): (batch..., q, heads, d).
Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const AttentionArgs& args = {});

}  // namespace linen

// A mask (batch..., 1, q, k) of every pair: by default where both are not 0.
using Pairwise = std::function<Tensor(const Tensor& query, const Tensor& key)>;
Tensor make_attention_mask(const Tensor& query_input, const Tensor& key_input,
                           const Pairwise& pairwise_fn = {}, int extra_batch_dims = 0,
                           DType dtype = DType::float32);
// A mask by which no position of x (batch..., length) sees a later one.
Tensor make_causal_mask(const Tensor& x, int extra_batch_dims = 0, DType dtype = DType::float32);
// Where all masks are true; undefined ones do not count. Undefined when there is none.
Tensor combine_masks(std::initializer_list<Tensor> masks, DType dtype = DType::float32);

}  // namespace kd::nn
