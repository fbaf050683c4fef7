// Losses of any type: masks, weights, sums.
#include "kd/losses/engine/loss.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "kd/metrics/engine/mask.h"
#include "kd/metrics/engine/place.h"
#include "kd/metrics/engine/reduce.h"
#include "kd/optim/schedule.h"

namespace kd::losses {

using konfig::Error;
using konfig::ErrorKind;
using metrics::State;
using metrics::sum_all;

namespace {

Poly<Metric> as_metric(const Poly<Loss>& loss) {
  Poly<Metric> out;
  out.set_spec(loss.spec());
  return out;
}

}  // namespace

LossState LossState::from_values(const Tensor& values, const std::optional<Tensor>& mask,
                                 double weight, NormalizeBy normalize_by) {
  Tensor sum, count;
  if (mask) {
    Tensor weights = metrics::align_right(*mask, values);
    sum = sum_all(values * weights);
    if (normalize_by == NormalizeBy::mask) count = sum_all(weights, at::kFloat);
  } else {
    sum = sum_all(values);
  }
  // The weight is a float32: a sum of lower precision becomes one.
  sum = sum.to(c10::promoteTypes(sum.scalar_type(), at::kFloat));
  if (weight != 1.0) sum = sum * weight;
  LossState out{.value = sum, .count = static_cast<double>(values.numel())};
  if (count.defined()) out.count = count;
  return out;
}

Tensor LossState::compute() const {
  constexpr double kLeastCount = 1e-8;
  return value.tensor() / count.tensor().clamp_min(kLeastCount);
}

double weight_at(const Schedule& weight, const kontext::Resolved* step) {
  if (!optim::is_schedule(weight)) return static_cast<float>(optim::value_at(weight, 0).value);
  if (step) return optim::value_at(weight, step->found.to<std::int64_t>()).value;
  throw Error(ErrorKind::value,
              "weight: it is a schedule, but there is no step; set the key `step`");
}

kontext::ResolvedKeys detail::resolve(const kontext::TreeRef& context,
                                      const kontext::KeyPaths& keys, std::string_view type,
                                      const Schedule* weight) {
  bool scheduled = weight && optim::is_schedule(*weight);
  kontext::KeyPaths needed;
  for (auto& [name, key] : keys) {
    if (scheduled || name.as<std::string>() != "step") needed.set(name, key);
  }
  return kontext::resolve_from_keypaths(context, needed, type);
}

State get_state(const Poly<Loss>& loss, const kontext::TreeRef& context) {
  return metrics::get_state(as_metric(loss), context);
}

Tensor get_values(const Poly<Loss>& loss, const kontext::TreeRef& context) {
  auto& ops = ops_of(loss);
  return metrics::with_place(loss, [&] { return ops.get_values(loss.object().get(), context); });
}

LossesResult compute_losses(const Map<Poly<Loss>>& losses, const kontext::TreeRef& context) {
  std::vector<std::string> names;
  for (auto& [name, loss] : losses) names.push_back(name);
  std::ranges::sort(names);
  LossesResult out{.total = at::zeros({}, at::kFloat), .states = {}};
  for (const std::string& name : names) {
    try {
      State state = get_state(losses.at(name), context);
      out.total = out.total + state.compute().tensor();
      out.states.emplace_back(name, std::move(state));
    } catch (const Error& e) {
      throw e.within(name);
    }
  }
  return out;
}

}  // namespace kd::losses

namespace kd {

Tensor poly_call(const Loss*, const Poly<Loss>& loss, const kontext::TreeRef& context) {
  return losses::get_state(loss, context).compute().tensor();
}

}  // namespace kd
