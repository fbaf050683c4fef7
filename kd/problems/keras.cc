// Optimizers with the numbers of Keras.
#include "kd/problems/keras.h"

#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/join.h"
#include "kd/core/ops.h"
#include "kd/optim/engine/fusion.h"
#include "kd/optim/engine/root.h"
#include "kd/optim/schedule.h"
#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::problems {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr const char* kState = "KerasState";

// What an update works with: the numbers of a step.
struct Step {
  const KerasOptimizer& options;
  double lr = 0;
  double t = 1;  // the number of the update, from 1
};

// One leaf: its gradient, its slots, which are replaced, and what is added to the parameter.
using Slots = std::vector<Tensor>;
using Rule = Tensor (*)(const Step& step, const Tensor& g, Slots& slots);

Tensor decayed(const Tensor& average, const Tensor& now, double rho) {
  return average * rho + now * (1 - rho);
}

// The rate of Adam's update without the correction of its averages.
double corrected_lr(const Step& s) {
  const auto [b1, b2] = s.options.betas;
  return s.lr * std::sqrt(1 - std::pow(b2, s.t)) / (1 - std::pow(b1, s.t));
}

Tensor sgd(const Step& s, const Tensor& g, Slots& slots) {
  const double momentum = s.options.betas[0];
  if (momentum == 0) return g * -s.lr;
  slots[0] = slots[0] * momentum - g * s.lr;
  return slots[0].clone();
}

Tensor adam(const Step& s, const Tensor& g, Slots& slots) {
  const auto [b1, b2] = s.options.betas;
  slots[0] = slots[0] + (g - slots[0]) * (1 - b1);
  slots[1] = slots[1] + (g.square() - slots[1]) * (1 - b2);
  return slots[0] * -corrected_lr(s) / (optim::root(slots[1]) + s.options.epsilon);
}

Tensor adamax(const Step& s, const Tensor& g, Slots& slots) {
  const auto [b1, b2] = s.options.betas;
  slots[0] = slots[0] + (g - slots[0]) * (1 - b1);
  slots[1] = at::maximum(slots[1] * b2, g.abs());
  return slots[0] * (-s.lr / (1 - std::pow(b1, s.t))) / (slots[1] + s.options.epsilon);
}

Tensor rmsprop(const Step& s, const Tensor& g, Slots& slots) {
  const auto [rho, momentum] = s.options.betas;
  slots[0] = decayed(slots[0], g.square(), rho);
  const Tensor increment = g * s.lr / (slots[0] + s.options.epsilon).sqrt();
  if (momentum == 0) return -increment;
  slots[1] = slots[1] * momentum + increment;
  return -slots[1];
}

Tensor adadelta(const Step& s, const Tensor& g, Slots& slots) {
  const double rho = s.options.rho, eps = s.options.epsilon;
  slots[0] = decayed(slots[0], g.square(), rho);
  const Tensor delta = g * (slots[1] + eps).sqrt() / (slots[0] + eps).sqrt() * -1;
  slots[1] = decayed(slots[1], delta.square(), rho);
  return delta * s.lr;
}

Tensor adagrad(const Step& s, const Tensor& g, Slots& slots) {
  slots[0] = slots[0] + g.square();
  return g * -s.lr / (slots[0] + s.options.epsilon).sqrt();
}

struct Kind {
  const char* name;
  Rule rule;
  std::vector<const char*> slots;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {{"sgd", sgd, {"momentum"}},
                                        {"adam", adam, {"mean", "square"}},
                                        {"adamax", adamax, {"mean", "largest"}},
                                        {"rmsprop", rmsprop, {"square", "momentum"}},
                                        {"adadelta", adadelta, {"square", "delta"}},
                                        {"adagrad", adagrad, {"sum"}}};
  return all;
}

const Kind& kind_of(const std::string& name) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  throw Error(ErrorKind::value, "name",
              "there is no optimizer '" + name + "'" + konfig::did_you_mean(name, names) +
                  "; there are " + base::join(names, ", "));
}

Tensor clipped(const KerasOptimizer& options, const Tensor& g) {
  if (options.clipvalue) return g.clamp(-*options.clipvalue, *options.clipvalue);
  if (!options.clipnorm) return g;
  const Tensor norm = g.square().sum().sqrt();
  return g * *options.clipnorm / norm.clamp_min(*options.clipnorm);
}

// The update after those that a state counts.
Step step_of(const KerasOptimizer& options, const Tree& state) {
  const auto count = state.at("count").tensor().item<std::int64_t>();
  return {options, optim::value_at(*options.learning_rate, count).value,
          static_cast<double>(count + 1)};
}

float f32(double value) { return static_cast<float>(value); }

}  // namespace

Tree KerasOptimizer::init(const Tree& params) const {
  if (clipnorm && clipvalue) {
    throw Error(ErrorKind::value, "clipnorm", "clipvalue is set, too; choose one of them");
  }
  const bool sums = *name == "adagrad";
  Tree::Items items = {{"count", at::full({}, 0, at::kInt)}};
  for (const char* slot : kind_of(*name).slots) {
    items.emplace_back(slot, map(params, [&](const Tensor& p) {
                         return at::full_like(p, sums ? initial_accumulator_value : 0);
                       }));
  }
  return Tree::record(kState, std::move(items));
}

optim::Update KerasOptimizer::update(const Tree& grads, const Tree& state, const Tree&) const {
  const Kind& kind = kind_of(*name);
  const Step step = step_of(*this, state);
  const auto gradients = leaves(grads);
  std::vector<std::vector<Tensor>> slots;
  for (const char* slot : kind.slots) slots.push_back(leaves(state.at(slot)));
  std::vector<Tensor> updates;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    Slots own;
    for (auto& slot : slots) own.push_back(slot[i]);
    updates.push_back(kind.rule(step, clipped(*this, gradients[i]), own));
    for (std::size_t k = 0; k < slots.size(); ++k) slots[k][i] = own[k];
  }
  Tree::Items items = {{"count", at::full({}, step.t, at::kInt)}};
  for (std::size_t k = 0; k < slots.size(); ++k) {
    items.emplace_back(kind.slots[k], unflatten(grads, slots[k]));
  }
  return {unflatten(grads, updates), Tree::record(kState, std::move(items))};
}

// The two that are used most; the others are done one operation after the other.
bool KerasOptimizer::fuse(Tree& state, optim::Fusion& fusion) const {
  namespace kernels = optim::kernels;
  const bool is_sgd = *name == "sgd";
  // Each gradient has a norm of its own.
  if (state.type() != kState || clipnorm || (!is_sgd && *name != "adam")) return false;
  const Step step = step_of(*this, state);
  fusion.count(state["count"], static_cast<std::int32_t>(step.t));
  if (clipvalue) fusion.add({.kernel = kernels::clip, .c = {f32(*clipvalue)}});
  const auto [b1, b2] = betas;
  if (!is_sgd) {
    return fusion.add({.kernel = kernels::adam_keras,
                       .c = {f32(1 - b1), f32(1 - b2), f32(-corrected_lr(step)), f32(epsilon)}},
                      state["mean"], state["square"]);
  }
  fusion.add({.kernel = kernels::scale, .c = {f32(-step.lr)}});
  return b1 == 0 || fusion.add({.kernel = kernels::trace, .c = {f32(b1)}}, state["momentum"]);
}

double MultiSteps::operator()(std::int64_t step) const {
  if (values->size() != boundaries->size() + 1) {
    throw Error(ErrorKind::value, "values",
                "expected one more than boundaries, got " + std::to_string(values->size()) +
                    " and " + std::to_string(boundaries->size()));
  }
  const auto at = std::ranges::lower_bound(*boundaries, step);
  return static_cast<float>((*values)[static_cast<std::size_t>(at - boundaries->begin())]);
}

double Warmup::operator()(std::int64_t step) const {
  if (step >= *steps) return schedule(step);
  const float part = static_cast<float>(static_cast<double>(step) / static_cast<double>(*steps));
  return static_cast<float>(schedule(*steps)) * part;
}

}  // namespace kd::problems
