// Vision transformers.
#include "kd/nn/models/vit.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/tanh.h>

#include "base/shape_text.h"
#include "kd/core/tree.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

void check_image(const Tensor& image) {
  if (image.dim() < 3) {
    detail::fail("an image has the shape (*b, h, w, c), got " + base::tuple_text(image.sizes()));
  }
}

// Any encoder may say that it puts a class token first.
bool has_cls_token(const Poly<kd::Module>& encoder) {
  const konfig::Field* field = encoder.type()->find("prepend_cls_token");
  return field && field->type().kind == konfig::Kind::boolean &&
         *static_cast<const bool*>(
             konfig::detail::at_offset(encoder.object().get(), field->offset));
}

}  // namespace

Tensor VitEncoder::call(const Tensor& x) const {
  check_image(x);
  Tensor tokens = embedding(x);
  tokens = tokens + Tensor(pos_embedding(tokens.sizes().vec(), Ints(-2)));
  if (prepend_cls_token) {
    Tensor cls = param("cls", {tokens.size(-1)}, cls_token_init, tokens.scalar_type());
    auto shape = tokens.sizes().vec();
    shape[shape.size() - 2] = 1;
    tokens = at::cat({cls.expand(shape), tokens}, -2);
  }
  for (auto& layer : layers) tokens = layer(tokens);
  if (encoder_norm) tokens = encoder_norm(tokens);
  return tokens;
}

Tree Vit::call(const Tensor& x) const {
  check_image(x);
  Tensor tokens = encoder(x);
  if (mode == VitMode::cls_token && !has_cls_token(encoder)) {
    detail::fail(
        "the mode cls_token needs an encoder with prepend_cls_token = true; cls_token_forced takes "
        "the first token whatever it is");
  }
  Tensor features = mode == VitMode::gap ? tokens.mean(-2) : tokens.select(-2, 0);
  int width = static_cast<int>(features.size(-1));
  features = at::tanh(named("pre_logits", Dense{.features = width})(features));
  return Tree::dict(
      {{"logits", named("classifier_head",
                        Dense{.features = num_classes, .bias_init = init_head_bias})(features)}});
}

Tree VitAutoEncoder::call(const Tensor& x) const {
  check_image(x);
  Tensor tokens = encoder(x);
  std::int64_t pixels = x.size(-3) * x.size(-2) * x.size(-1);
  if (pixels % tokens.size(-2) != 0) {
    detail::fail("an image of " + std::to_string(pixels) + " values cannot be made of " +
                 std::to_string(tokens.size(-2)) + " equal tokens");
  }
  int features = static_cast<int>(pixels / tokens.size(-2));
  return Tree::dict(
      {{"image", named("decoder", Dense{.features = features})(tokens).reshape(x.sizes())}});
}

}  // namespace kd::nn
