// Runs transformations: checks the trees, finds the functions.
#include "kd/optim/engine/transform.h"

#include <ATen/core/grad_mode.h>

#include <sstream>

#include "kd/optim/check_impl.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;

namespace {

std::string described(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor.scalar_type() << " " << tensor.sizes();
  return out.str();
}

std::string located(const Place& place, const std::string& message) {
  const std::string at = place.text();
  return at.empty() ? message : at + ": " + message;
}

void check_floating(const Tensor& tensor, const Place& place, std::string_view what) {
  if (!tensor.defined()) {
    throw Error(ErrorKind::value,
                located(place, "the " + std::string(what) + " has an undefined tensor"));
  }
  if (at::isFloatingType(tensor.scalar_type())) return;
  throw Error(ErrorKind::type, located(place, "expected a floating-point " + std::string(what) +
                                                  ", got " + described(tensor) +
                                                  "; only such leaves can be optimized, use "
                                                  "partial_updates to leave the others out"));
}

void check_each(const Tree& tree, const Place& place, std::string_view what) {
  if (tree.is_tensor()) return check_floating(tree.tensor(), place, what);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    check_each(tree.child(i), Place{&place, &tree, i}, what);
  }
}

// Gradients belong to the parameters: one structure, one shape each.
void check_grads(const Tree& grads, const Tree& params, const Place& place, bool all) {
  if (params.is_tensor() && grads.is_tensor()) {
    if (all) check_floating(grads.tensor(), place, "gradient");
    if (grads.tensor().sizes() == params.tensor().sizes()) return;
    throw Error(ErrorKind::value,
                located(place, "the gradient is " + described(grads.tensor()) + ", the parameter " +
                                   described(params.tensor())));
  }
  bool same = grads.kind() == params.kind() && grads.size() == params.size();
  for (std::size_t i = 0; same && i < grads.size(); ++i) same = grads.name(i) == params.name(i);
  if (!same) {
    throw Error(ErrorKind::value, located(place, "the gradients have " + structure_text(grads) +
                                                     ", the parameters " + structure_text(params) +
                                                     "; gradients have one leaf a parameter"));
  }
  for (std::size_t i = 0; i < grads.size(); ++i) {
    check_grads(grads.child(i), params.child(i), Place{&place, &grads, i}, all);
  }
}

// Lookahead's parameters are a pair; its gradients are those of the fast ones.
const Tree& trained(const Tree& params) {
  return params.type() == "LookaheadParams" ? params.at("fast") : params;
}

}  // namespace

void check_parameters(const Tree& params) { check_each(params, Place{}, "parameter"); }

bool accepts_integers(const Poly<Optimizer>& optimizer) {
  return ops_of(optimizer).accepts_integers(optimizer.object().get());
}

Tree init_inner(const Poly<Optimizer>& optimizer, const Tree& params) {
  return ops_of(optimizer).init(optimizer.object().get(), params);
}

Update update_inner(const Poly<Optimizer>& optimizer, const Tree& grads, const Tree& state,
                    const Tree& params) {
  return ops_of(optimizer).update(optimizer.object().get(), grads, state, params);
}

Tree init(const Poly<Optimizer>& optimizer, const Tree& params) {
  at::NoGradGuard no_grad;
  if (!accepts_integers(optimizer)) check_parameters(params);
  return init_inner(optimizer, params);
}

Update update(const Poly<Optimizer>& optimizer, const Tree& grads, const Tree& state,
              const Tree& params) {
  at::NoGradGuard no_grad;
  if (params.is_none()) {
    check_each(grads, Place{}, "gradient");
  } else {
    check_grads(grads, trained(params), Place{}, !accepts_integers(optimizer));
  }
  return update_inner(optimizer, grads, state, params);
}

Tree apply_updates(const Tree& params, const Tree& updates) {
  at::NoGradGuard no_grad;
  return zip([](const Tensor& p, const Tensor& u) { return (p + u).to(p.scalar_type()); }, params,
             updates);
}

Tree lookahead_params(const Tree& params) {
  return Tree::record("LookaheadParams", {{"fast", params}, {"slow", clone(params)}});
}

}  // namespace kd::optim
