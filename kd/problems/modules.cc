// The modules of an experiment's models.
#include "kd/problems/modules.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "base/shape_text.h"
#include "kd/core/tree.h"
#include "kd/nn/engine/nn.h"
#include "konfig/error.h"

namespace kd::problems {

using konfig::Error;
using konfig::ErrorKind;

namespace {

// One number for all channels, or one for each.
Tensor by_channel(const std::vector<double>& values, const char* name, const Tensor& image) {
  const bool same = std::ranges::all_of(values, [&](double v) { return v == values.front(); });
  if (values.empty() || (!same && static_cast<std::int64_t>(values.size()) != image.size(-1))) {
    throw Error(ErrorKind::value, name,
                "expected one number, or one for each of " + std::to_string(image.size(-1)) +
                    " channels, got " + std::to_string(values.size()));
  }
  const std::vector<double> used = same ? std::vector<double>{values.front()} : values;
  return at::tensor(used, at::TensorOptions(image.scalar_type()).device(image.device()));
}

void check_image(const Preprocess& self, const Tensor& image) {
  const auto& size = self.input_size;
  const bool fits =
      image.dim() == 4 && (self.in_channels < 0 || image.size(3) == self.in_channels) &&
      (size.empty() || (size.size() == 2 && image.size(1) == size[0] && image.size(2) == size[1]));
  if (fits) return;
  auto side = [&](std::size_t i) {
    return size.size() == 2 ? std::to_string(size[i]) : std::string(i == 0 ? "h" : "w");
  };
  throw Error(ErrorKind::value,
              "the model is for images (n, " + side(0) + ", " + side(1) + ", " +
                  (self.in_channels < 0 ? "c" : std::to_string(self.in_channels)) + "), got " +
                  base::tuple_text(image.sizes()) +
                  "; set input_size and in_channels of the model, or input_size of the dataset");
}

// A tensor, or the logits of a model that gives more.
Tensor logits_of(const nn::Out& out) {
  Tree tree;
  kontext::TreeTraits<Tree>::assign(tree, out.tree());
  if (tree.is_tensor()) return tree.tensor();
  if (const Tree* logits = tree.find("logits")) return logits->tensor();
  throw Error(ErrorKind::type, "model",
              "expected a tensor, or a dict with 'logits', got " + std::string(tree.type()));
}

Tensor head(const Tensor& x, int features, double drop_rate) {
  const Tensor kept = drop_rate > 0 ? nn::named("drop", nn::Dropout{.rate = drop_rate})(x) : x;
  return nn::named("head", nn::Dense{.features = features})(kept);
}

Tensor normalized(const Tensor& x) {
  const Tensor flat = nn::flatten(x);
  return flat / flat.square().sum(-1, true).clamp_min(1e-12).sqrt();
}

}  // namespace

Tree Preprocess::call(const Tensor& x) const {
  check_image(*this, x);
  Tensor prepared = x.to(scalar_type(dtype));
  prepared = (prepared - by_channel(mean, "mean", prepared)) / by_channel(std, "std", prepared);
  return Tree::dict({{"logits", logits_of(model(prepared))}});
}

Tensor Mlp::call(const Tensor& image) const {
  Tensor x = nn::flatten(image);
  for (int units : hidden) x = nn::relu(nn::Dense{.features = units}(x));
  return head(x, nb_classes, drop_rate);
}

Tensor Cnn::call(const Tensor& image) const {
  Tensor x = image;
  for (int features : channels) {
    x = nn::Conv{.features = features, .kernel_size = {3, 3}}(x);
    // The usual order, relu first, gives the same bits and four times the work.
    x = nn::relu(nn::max_pool(x, {.window_shape = {2, 2}, .strides = {2, 2}}));
  }
  x = nn::relu(nn::Dense{.features = hidden}(nn::flatten(x)));
  return head(x, nb_classes, drop_rate);
}

namespace {

Tensor norm(const Tensor& x) {
  return nn::BatchNorm{.use_running_average = !nn::is_training(), .momentum = 0.9}(x);
}

Tensor conv(const Tensor& x, int features, int size, int stride) {
  return nn::Conv{
      .features = features, .kernel_size = {size, size}, .strides = stride, .use_bias = false}(x);
}

Tensor residual(const Tensor& x, int features, int stride) {
  Tensor y = nn::relu(norm(conv(x, features, 3, stride)));
  y = norm(conv(y, features, 3, 1));
  const bool same = stride == 1 && x.size(-1) == features;
  return nn::relu((same ? x : norm(conv(x, features, 1, stride))) + y);
}

}  // namespace

Tensor ResNet18::call(const Tensor& image) const {
  Tensor x = nn::relu(norm(conv(image, width, 7, 2)));
  x = nn::max_pool(x, {.window_shape = {3, 3}, .strides = {2, 2}, .padding = "SAME"});
  for (int stage = 0; stage < 4; ++stage) {
    for (int block = 0; block < 2; ++block) {
      x = residual(x, width << stage, stage > 0 && block == 0 ? 2 : 1);
    }
  }
  return head(x.mean({-3, -2}), nb_classes, drop_rate);
}

namespace {

int patch_for(const Tensor& image) {
  for (int size : {16, 14, 8, 7, 4, 2}) {
    if (image.size(-3) % size == 0 && image.size(-2) % size == 0) return size;
  }
  return 1;
}

}  // namespace

Tensor VitTiny::call(const Tensor& image) const {
  const nn::VitVariant variant{.variant_str = "Ti",
                               .patch_size = patch_size.value_or(patch_for(image))};
  const Tensor tokens = nn::named("encoder", nn::VitEncoder::from_variant_str(variant))(image);
  return head(tokens.mean(-2), nb_classes, drop_rate);
}

Tree Distilled::call(const Tensor& x) const {
  Tensor from_student = logits_of(student(x)), from_teacher;
  {
    at::NoGradGuard no_grad;
    const nn::set_train_property evaluating(false);
    from_teacher = logits_of(teacher(x)).detach();
  }
  if (from_student.sizes() != from_teacher.sizes()) {
    throw Error(ErrorKind::value, "student",
                "its embeddings are " + base::tuple_text(from_student.sizes()) +
                    ", those of the teacher " + base::tuple_text(from_teacher.sizes()) +
                    "; set embed_dim of both to one number");
  }
  if (normalize) {
    from_student = normalized(from_student);
    from_teacher = normalized(from_teacher);
  }
  return Tree::dict(
      {{"student", nn::flatten(from_student)}, {"teacher", nn::flatten(from_teacher)}});
}

Tree SavedClassifier::call(const Tensor& x) const {
  Tensor logits = logits_of(model(x));
  if (binary) {
    const Tensor one = logits.select(-1, 0);
    logits = at::stack({at::zeros_like(one), one}, -1);
  }
  return Tree::dict({{"logits", logits - logits.mean(-1, true)}});
}

}  // namespace kd::problems
