// Calls of the model.
#include "kd/train/engine/forward.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "kd/core/ops.h"
#include "kd/nn/module/keys.h"
#include "kd/nn/module/module.h"
#include "kd/train/within.h"
#include "konfig/error.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;

namespace {

nn::Arguments arguments(const Poly<Module>& model, const Context& context) {
  if (!model)
    throw Error(ErrorKind::required, "model", "it is None, and a run needs one; set cfg.model");
  return within("model", [&] { return nn::model_arguments(model, context); });
}

nn::Out called(const Poly<Module>& model, const nn::Arguments& args) {
  return within("model", [&] { return nn::call_module(model, args); });
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Tree variables_of(Tree params, const Tree& collections) {
  Tree out = collections.is_none() ? Tree::dict() : collections;
  out["params"] = std::move(params);
  return out;
}

Forward forward(const Poly<Module>& model, const Tree& variables, const Context& context,
                const ForwardOptions& options) {
  nn::With with{.rngs = options.rngs,
                .is_training_property = options.is_training,
                .capture_intermediates = options.capture};
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables.name(i) != "params") with.mutable_collections.push_back(variables.name(i));
  }
  nn::Arguments args = arguments(model, context);
  nn::detail::RunGuard run(/*initializing=*/false, variables, with);
  nn::Out out = called(model, args);
  Forward made;
  made.preds = out.tree();
  made.interms = run.take_interms();
  made.collections = run.take_changed();
  return made;
}

Forward first_forward(const Poly<Module>& model, const Context& context, const nn::Rngs& rngs) {
  nn::Arguments args = arguments(model, context);
  const Tree none;
  nn::detail::RunGuard run(
      /*initializing=*/true, none,
      {.rngs = rngs, .is_training_property = true, .capture_intermediates = true});
  nn::Out out = called(model, args);
  Forward made;
  made.preds = out.tree();
  made.interms = run.take_interms();
  made.collections = run.take_variables();
  return made;
}

void add_forward(Context& context, const Forward& forward) {
  context.preds = forward.preds;
  context.interms = forward.interms;
  context.collections = forward.collections;
}

Tree mock_batch(const Tree& spec, std::int64_t rows) {
  return map(spec, [&](const Tensor& tensor) {
    auto sizes = tensor.sizes().vec();
    if (rows > 0 && !sizes.empty()) sizes[0] = rows;
    at::ScalarType dtype = tensor.scalar_type();
    if (dtype == at::kLong) dtype = at::kInt;
    if (dtype == at::kDouble) dtype = at::kFloat;
    return at::zeros(sizes, dtype);
  });
}

bool needs_root(const Auxiliaries& aux, const Returns& returns, std::string_view root) {
  return contains(roots_of(aux.losses), root) ||
         (returns.metrics && contains(roots_of(aux.metrics), root)) ||
         (returns.summaries && contains(roots_of(aux.summaries), root));
}

}  // namespace kd::train
