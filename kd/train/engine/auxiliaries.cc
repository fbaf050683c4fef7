// States of losses, metrics and summaries: made, merged, computed.
#include "kd/train/engine/auxiliaries.h"

#include "kd/core/ops.h"
#include "kd/losses/engine/loss.h"
#include "kd/metrics/engine/metric.h"
#include "konfig/error.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;
using metrics::State;

namespace {

template <class F>
auto in_place(const std::string& name, const F& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw e.within(name);
  }
}

NamedStates merged_group(NamedStates a, const NamedStates& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  for (auto& ours : a) {
    for (auto& other : b) {
      if (ours.first != other.first) continue;
      ours.second =
          in_place(ours.first, [&] { return std::move(ours.second).merge(other.second); });
    }
  }
  return a;
}

void merge_into(std::optional<NamedStates>& a, const std::optional<NamedStates>& b) {
  if (!b) return;
  a = a ? merged_group(std::move(*a), *b) : *b;
}

double number_of(const std::string& name, const Tensor& value) {
  if (value.numel() == 1) return value.item<double>();
  throw Error(ErrorKind::value, name,
              "the value of a metric is a number, or a tree of numbers; this one has " +
                  std::to_string(value.numel()) + " elements");
}

void add_numbers(std::vector<std::pair<std::string, double>>& out, const std::string& name,
                 const Tree& value) {
  if (value.is_tensor()) {
    out.emplace_back(name, number_of(name, value.tensor()));
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string part = value.has_names() ? value.name(i) : std::to_string(i);
    add_numbers(out, name + "/" + part, value.child(i));
  }
}

// Records (a histogram, a point cloud) are one value.
void add_shown(std::vector<std::pair<std::string, Tree>>& out, const std::string& name,
               Tree value) {
  if (value.kind() != Tree::Kind::dict && value.kind() != Tree::Kind::list) {
    if (!value.is_none()) out.emplace_back(name, std::move(value));
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string part = value.has_names() ? value.name(i) : std::to_string(i);
    add_shown(out, name + "/" + part, std::move(value.child(i)));
  }
}

Tree value_of(const std::string& group, const std::string& name, const State& state) {
  return in_place(group,
                  [&] { return in_place(name, [&] { return state.finalize().compute(); }); });
}

}  // namespace

AuxState merged(AuxState a, const AuxState& b) {
  merge_into(a.loss_states, b.loss_states);
  merge_into(a.metric_states, b.metric_states);
  merge_into(a.summary_states, b.summary_states);
  return a;
}

std::optional<double> AuxValues::find(std::string_view name) const {
  for (auto* group : {&losses, &metrics}) {
    for (auto& [known, value] : *group) {
      if (known == name) return value;
    }
  }
  return {};
}

AuxValues compute(const AuxState& aux) {
  AuxValues out;
  if (aux.loss_states && !aux.loss_states->empty()) {
    float total = 0;  // as the step adds them
    for (auto& [name, state] : *aux.loss_states) {
      const std::size_t before = out.losses.size();
      add_numbers(out.losses, "losses/" + name, value_of("losses", name, state));
      for (std::size_t i = before; i < out.losses.size(); ++i) {
        total += static_cast<float>(out.losses[i].second);
      }
    }
    out.losses.emplace_back("losses/total", total);
  }
  if (aux.metric_states) {
    for (auto& [name, state] : *aux.metric_states) {
      add_numbers(out.metrics, "metrics/" + name, value_of("metrics", name, state));
    }
  }
  if (aux.summary_states) {
    for (auto& [name, state] : *aux.summary_states) {
      add_shown(out.summaries, "summaries/" + name, value_of("summaries", name, state));
    }
  }
  return out;
}

NamedStates states_of(const Map<Poly<Metric>>& group, const Context& context) {
  NamedStates out;
  for (auto& entry : group) {
    auto state = [&] { return metrics::get_state(entry.second, context); };
    out.emplace_back(entry.first, in_place(entry.first, state));
  }
  return out;
}

namespace {

kontext::KeyPaths keys_of(const Poly<Metric>& metric) { return metrics::keypaths(metric); }
kontext::KeyPaths keys_of(const Poly<Loss>& loss) {
  Poly<Metric> metric;
  metric.set_spec(loss.spec());
  return metrics::keypaths(metric);
}

}  // namespace

template <class I>
std::vector<std::string> roots_of(const Map<Poly<I>>& group) {
  std::vector<std::string> out;
  for (auto& [name, item] : group) {
    try {
      add_roots(out, keys_of(item));
    } catch (const Error& e) {
      throw e.within(name);
    }
  }
  return out;
}
template std::vector<std::string> roots_of(const Map<Poly<Loss>>& group);
template std::vector<std::string> roots_of(const Map<Poly<Metric>>& group);

}  // namespace kd::train
