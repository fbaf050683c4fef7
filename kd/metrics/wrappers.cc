// Metrics of metrics, but for those of trees.
#include "kd/metrics/wrappers.h"

#include "kd/metrics/engine/metric.h"

namespace kd::metrics {

namespace {

// A state, or none when there was nothing to measure.
struct SkipState {
  State state;
  Tree compute() const { return state.compute(); }
};

}  // namespace

State SkipIfMissing::get_state(const kontext::ResolvedKeys& inputs) const {
  return SkipState{metrics::get_state(*metric, inputs)};
}

State SkipIfMissing::get_state_from_context(const kontext::TreeRef& context) const {
  try {
    return SkipState{metrics::get_state(*metric, context)};
  } catch (const konfig::Error& e) {
    if (e.kind() != konfig::ErrorKind::key) throw;
    return SkipState{};
  }
}

State SkipIfMissing::empty() const { return SkipState{}; }

kontext::KeyPaths SkipIfMissing::kontext_keys() const { return keypaths(*metric); }

EmptyState NoopMetric::get_state() const { return {}; }

}  // namespace kd::metrics
