// Loss: what is minimised. A struct whose key fields say what it compares, with a `get_values`.
//
//   struct L4 {
//     Key preds = Key::required();
//     Key targets = Key::required();
//     std::optional<Key> mask = {};
//     Schedule weight = 1.0;
//     Float<"*a"> get_values(Float<"*a"> preds, Float<"*a"> targets) const {
//       return (preds - targets).pow(4);
//     }
//   };
//   KD_COMPONENT(kd::Loss, L4);   // a config can name it
//
//   auto [total, states] = losses::compute_losses(train_losses, context);
//   total.backward();
//
// `get_values` takes one parameter per key, without mask and step. The fields mask, weight,
// normalize_by and step mean the same in every loss and may be left out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kd/losses/common.h"
#include "kd/metrics/engine/metric.h"

namespace kd::losses {

// value = weight * sum(values * mask); count = sum(mask), or the number of values. Both stay part
// of the graph of gradients.
struct LossState {
  metrics::SumField value = 0.0;
  metrics::SumField count = 0.0;

  // The mask broadcasts to the values as in numpy, from the last axis on.
  static LossState from_values(const Tensor& values, const std::optional<Tensor>& mask = {},
                               double weight = 1.0, NormalizeBy normalize_by = NormalizeBy::mask);
  Tensor compute() const;  // value / max(count, 1e-8)
};

metrics::State get_state(const Poly<Loss>& loss, const kontext::TreeRef& context);
// Before mask and weight.
Tensor get_values(const Poly<Loss>& loss, const kontext::TreeRef& context);

struct LossesResult {
  Tensor total;                                                // their sum, in order of the names
  std::vector<std::pair<std::string, metrics::State>> states;  // in order of the names
};
// An Error starts with the name of the loss.
LossesResult compute_losses(const Map<Poly<Loss>>& losses, const kontext::TreeRef& context);

// The weight at a step; an Error when a schedule is given but no step.
double weight_at(const Schedule& weight, const kontext::Resolved* step);

namespace detail {

template <class T>
concept HasScheduledWeight = requires(const T& loss) {
  { loss.weight } -> std::convertible_to<const Schedule&>;
};

// Keys that are needed: the step only where the weight is a schedule.
kontext::ResolvedKeys resolve(const kontext::TreeRef& context, const kontext::KeyPaths& keys,
                              std::string_view type, const Schedule* weight);

template <class T>
const Schedule* weight_of(const T& loss) {
  if constexpr (HasScheduledWeight<T>) {
    return &loss.weight;
  } else {
    return nullptr;
  }
}

template <class T>
kontext::ResolvedKeys inputs_of(const T& loss, const kontext::TreeRef& context) {
  return resolve(context, kontext::get_keypaths(loss), konfig::type_name<T>, weight_of(loss));
}

template <class T>
metrics::State state_from_keys(const void* loss, const kontext::ResolvedKeys& inputs) {
  const T& self = *static_cast<const T*>(loss);
  Tensor values = metrics::detail::call_with<&T::get_values, true>(self, inputs);
  const kontext::Resolved* key =
      metrics::detail::find_key(inputs, "mask", konfig::type_name<T>, true);
  std::optional<Tensor> mask;
  if (key) mask = key->found.to<Tensor>();
  double weight = 1.0;
  if constexpr (HasScheduledWeight<T>) weight = weight_at(self.weight, inputs.find("step"));
  auto normalize_by = NormalizeBy::mask;
  if constexpr (requires { self.normalize_by; }) normalize_by = self.normalize_by;
  return LossState::from_values(values, mask, weight, normalize_by);
}

template <class T>
metrics::State state_from_context(const void* loss, const kontext::TreeRef& context) {
  return state_from_keys<T>(loss, inputs_of(*static_cast<const T*>(loss), context));
}

template <class T>
Tensor values_from_context(const void* loss, const kontext::TreeRef& context) {
  const T& self = *static_cast<const T*>(loss);
  return metrics::detail::call_with<&T::get_values, true>(self, inputs_of(self, context));
}

}  // namespace detail
}  // namespace kd::losses

namespace kd {

template <>
struct Implement<Loss> {
  using Ops = metrics::LossOps;
  template <class T>
  static constexpr Ops ops = {
      {losses::detail::state_from_keys<T>, losses::detail::state_from_context<T>,
       [](const void*) { return metrics::State(losses::LossState{}); },
       metrics::detail::keys_of_metric<T>},
      losses::detail::values_from_context<T>};
};

// `loss(context)`: its part of the total.
Tensor poly_call(const Loss*, const Poly<Loss>& loss, const kontext::TreeRef& context);

}  // namespace kd
