// Averages of the parameters, and decay to their first values.
#include "base/join.h"
#include "kd/optim/combine.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/transforms.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"
#include "kontext/get.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;

// ---- Decay to the first values.

Poly<Optimizer> DecayToInit::expand() const {
  if (mask.is_none()) return {};
  return Masked{.inner = DecayToInit{.weight_decay = *weight_decay}, .mask = mask};
}

Tree DecayToInit::init(const Tree& params) const {
  return Tree::record("DecayToInitState", {{"init_params", clone(params)}});
}

Update DecayToInit::update(const Tree& grads, const Tree& state, const Tree& params) const {
  need_params(params, "decay_to_init");
  Tree updates = zip([&](const Tensor& g, const Tensor& p,
                         const Tensor& first) { return g + times(*weight_decay, p - first); },
                     grads, params, field(state, "DecayToInitState", "init_params"));
  return {std::move(updates), state};
}

// ---- Averages.

Tree EmaParams::init(const Tree& params) const {
  return Tree::record("EmaParamsState", {{"count", counter()},
                                         {"ema_params", clone(cast(params, accumulator_dtype))}});
}

Update EmaParams::update(const Tree& grads, const Tree& state, const Tree& params) const {
  need_params(params, "ema_params");
  const std::int32_t count = after(count_of(field(state, "EmaParamsState", "count")));
  // In float32 also 1 - decay is rounded.
  Number past = ema_decay(decay, debias, count);
  Tree ema = next_moment(apply_updates(params, grads), state["ema_params"], past, 1);
  return {grads, Tree::record("EmaParamsState", {{"count", counter(count)},
                                                 {"ema_params", cast(ema, accumulator_dtype)}})};
}

// ---- Using them.

namespace {

void find_states(const Tree& tree, const Place& place, std::vector<std::string>& paths,
                 const Tree*& found) {
  if (tree.type() == "EmaParamsState") {
    paths.push_back(place.text());
    found = &tree;
    return;
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    find_states(tree.child(i), Place{&place, &tree, i}, paths, found);
  }
}

const Tree& averages_in(const Tree& opt_state, const std::optional<std::string>& path) {
  const Tree* found = nullptr;
  if (path) {
    found = &kontext::get_by_path(opt_state, *path).as<Tree>();
  } else {
    std::vector<std::string> paths;
    find_states(opt_state, Place{}, paths, found);
    if (paths.size() != 1) {
      throw Error(ErrorKind::value, "ema_params_transform",
                  "expected one ema_params in the optimizer's state, found " +
                      std::to_string(paths.size()) +
                      (paths.empty() ? "" : ": " + base::join(paths, ", ")) +
                      "; set ema_params_transform to its path");
    }
  }
  if (auto* averages = found->find("ema_params")) return *averages;
  throw Error(ErrorKind::value, "ema_params_transform",
              "the optimizer's state at '" + path.value_or("") + "' is " +
                  std::string(found->type()) + ", not one of ema_params");
}

void put_averages(Tree& params, const Tree* averages, const Place& place, bool partial_ok) {
  const bool missing = !averages || averages->is_none() || averages->type() == "MaskedNode";
  if (missing && partial_ok) return;
  if (missing) {
    throw Error(ErrorKind::key,
                "no average of the parameter '" + place.text() +
                    "' was kept; partial_ok=True keeps such parameters as they are");
  }
  if (params.is_tensor()) {
    params = averages->tensor();
    return;
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Tree* child = nullptr;
    if (params.has_names()) {
      child = averages->find(params.name(i));
    } else if (i < averages->size()) {
      child = &averages->child(i);
    }
    put_averages(params.child(i), child, Place{&place, &params, i}, partial_ok);
  }
}

}  // namespace

Tree use_ema_params(const UseEmaParams& options, const Tree& params, const Tree& opt_state) {
  Tree out = params;
  put_averages(out, &averages_in(opt_state, options.ema_params_transform), Place{},
               options.partial_ok);
  return out;
}

Tree UseEmaParams::transform(Tree state) const {
  state["params"] = use_ema_params(*this, state["params"], state["opt_state"]);
  return state;
}

}  // namespace kd::optim
