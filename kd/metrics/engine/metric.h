// Metric: what is measured. A struct whose key fields say what it looks at, with a `get_state`.
//
//   struct MeanBrightness {
//     Key image = Key::required();
//     std::optional<Key> mask = {};
//     AverageState get_state(Float<"*b h w c"> image, std::optional<Array<"*b">> mask) const {
//       return AverageState::from_values(image.mean({-3, -2, -1}), mask);
//     }
//   };
//   KD_COMPONENT(kd::Metric, MeanBrightness);   // a config can name it
//
//   Poly<Metric> metric = MeanBrightness{.image = "batch.image"};
//   Tree value = metric(context);                                        // of one batch
//   State state = metrics::get_state(metric, context);                   // to be merged
//   State other = metrics::get_state(metric, {{"image", image}});        // not from a context
//
// `get_state` takes one parameter per key, in order of declaration: std::optional for optional
// keys. It gives any state (kd/metrics/engine/state.h).
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kd/core/implement.h"
#include "kd/metrics/engine/average.h"
#include "kd/metrics/engine/bind.h"
#include "kd/metrics/engine/state.h"

namespace kd::metrics {

// What the engine does with a metric of any type.
struct MetricOps {
  State (*get_state)(const void* metric, const kontext::ResolvedKeys& inputs);
  State (*from_context)(const void* metric, const kontext::TreeRef& context);
  State (*empty)(const void* metric);
  kontext::KeyPaths (*keys)(const void* metric);
};
const MetricOps& ops_of(const Poly<Metric>& metric);

State get_state(const Poly<Metric>& metric, const kontext::TreeRef& context);
// With values for the keys by name, wherever the keys lead.
using Inputs = std::initializer_list<std::pair<std::string, kontext::TreeRef>>;
State get_state(const Poly<Metric>& metric, const Inputs& inputs);
State get_state(const Poly<Metric>& metric, const kontext::ResolvedKeys& inputs);
// Of no batch: what `merge` starts from.
State empty(const Poly<Metric>& metric);
// The keys and where they lead; those of the inner metric for wrappers.
kontext::KeyPaths keypaths(const Poly<Metric>& metric);

// A loss is a metric that also gives values (kd/losses/engine/loss.h).
struct LossOps {
  MetricOps metric;
  Tensor (*get_values)(const void* loss, const kontext::TreeRef& context);
};

namespace detail {

template <class T>
concept WrapsMetric = requires(const T& metric, const kontext::ResolvedKeys& inputs) {
  { metric.get_state(inputs) } -> std::same_as<State>;
};

template <class T>
State state_from_keys(const void* metric, const kontext::ResolvedKeys& inputs) {
  const T& self = *static_cast<const T*>(metric);
  if constexpr (WrapsMetric<T>) {
    return self.get_state(inputs);
  } else {
    return call_with<&T::get_state, false>(self, inputs);
  }
}

template <class T>
State state_from_context(const void* metric, const kontext::TreeRef& context) {
  const T& self = *static_cast<const T*>(metric);
  if constexpr (requires { self.get_state_from_context(context); }) {
    return self.get_state_from_context(context);
  } else {
    return state_from_keys<T>(metric, kontext::resolve_from_keyed_obj(context, self));
  }
}

template <class T>
struct StateType;
template <class R, class T, class... A>
struct StateType<R (T::*)(A...) const> {
  using Type = std::remove_cvref_t<R>;
};

template <class T>
State empty_state(const void* metric) {
  if constexpr (requires(const T& self) { self.empty(); }) {
    return static_cast<const T*>(metric)->empty();
  } else {
    return typename StateType<decltype(&T::get_state)>::Type{};
  }
}

template <class T>
kontext::KeyPaths keys_of_metric(const void* metric) {
  return kontext::get_keypaths(*static_cast<const T*>(metric));
}

}  // namespace detail
}  // namespace kd::metrics

namespace kd {

template <>
struct Implement<Metric> {
  using Ops = metrics::MetricOps;
  template <class T>
  static constexpr Ops ops = {metrics::detail::state_from_keys<T>,
                              metrics::detail::state_from_context<T>,
                              metrics::detail::empty_state<T>, metrics::detail::keys_of_metric<T>};
};

// `metric(context)`: the value of one batch.
Tree poly_call(const Metric*, const Poly<Metric>& metric, const kontext::TreeRef& context);

}  // namespace kd
