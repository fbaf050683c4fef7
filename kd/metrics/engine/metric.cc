// Metrics of any type.
#include "kd/metrics/engine/metric.h"

#include "kd/metrics/engine/place.h"
#include "konfig/suggest.h"

namespace kd::metrics {

using konfig::Error;
using konfig::ErrorKind;

namespace {

kontext::ResolvedKeys as_keys(const Poly<Metric>& metric, const Inputs& inputs) {
  kontext::KeyPaths known = keypaths(metric);
  std::vector<std::pair<std::string, kontext::Resolved>> out;
  for (auto& [name, value] : inputs) {
    if (!known.find(name)) {
      std::vector<std::string> names;
      for (auto& key : known) names.push_back(key.first.as<std::string>());
      throw Error(ErrorKind::type, std::string(metric.type()->name) + ": there is no input '" +
                                       name + "'" + konfig::did_you_mean(name, names));
    }
    out.emplace_back(name, kontext::Resolved{.found = value});
  }
  return kontext::ResolvedKeys(std::move(out));
}

}  // namespace

const kontext::Resolved* detail::find_key(const kontext::ResolvedKeys& keys, std::string_view name,
                                          std::string_view type, bool optional) {
  const kontext::Resolved* found = keys.find(name);
  using kontext::Shape;
  bool is_none = !found || found->shape == Shape::none ||
                 (found->shape == Shape::leaf && found->found.shape() == Shape::none);
  if (!is_none) return found;
  if (optional) return nullptr;
  throw Error(ErrorKind::type, std::string(type),
              std::string(found ? "None" : "no value") + " is given for '" + std::string(name) +
                  "', which is not optional");
}

Error detail::with_names(const Error& error, const std::vector<std::string_view>& names) {
  std::string text = error.message();
  if (text.find("<- here") == text.npos) return error;  // not the Error of a check
  for (std::size_t i = names.size(); i > 0; --i) {
    std::string number = "argument " + std::to_string(i);
    std::string name = "argument '" + std::string(names[i - 1]) + "'";
    for (auto at = text.find(number); at != text.npos; at = text.find(number, at + name.size())) {
      text.replace(at, number.size(), name);
    }
  }
  return Error(error.kind(), error.path(), text);
}

const MetricOps& ops_of(const Poly<Metric>& metric) {
  if (!metric || !kd::detail::is_implemented<Loss>(metric.type()->name)) {
    return kd::ops_of<Metric>(metric);
  }
  auto* ops = kd::detail::find_ops(konfig::type_name<Loss>, metric);
  return static_cast<const LossOps*>(ops)->metric;
}

State get_state(const Poly<Metric>& metric, const kontext::TreeRef& context) {
  auto& ops = ops_of(metric);
  return with_place(
      metric, [&] { return ops.from_context(metric.object().get(), context).with_parent(metric); });
}

State get_state(const Poly<Metric>& metric, const kontext::ResolvedKeys& inputs) {
  auto& ops = ops_of(metric);
  return with_place(
      metric, [&] { return ops.get_state(metric.object().get(), inputs).with_parent(metric); });
}

State get_state(const Poly<Metric>& metric, const Inputs& inputs) {
  return get_state(metric, as_keys(metric, inputs));
}

State empty(const Poly<Metric>& metric) {
  return ops_of(metric).empty(metric.object().get()).with_parent(metric);
}

kontext::KeyPaths keypaths(const Poly<Metric>& metric) {
  return ops_of(metric).keys(metric.object().get());
}

}  // namespace kd::metrics

namespace kd {

Tree poly_call(const Metric*, const Poly<Metric>& metric, const kontext::TreeRef& context) {
  return metrics::get_state(metric, context).finalize().compute();
}

}  // namespace kd
