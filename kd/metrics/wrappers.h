// Metrics of metrics: over the leaves of a tree, or only where there is something to measure.
#pragma once

#include "kd/core/interfaces.h"
#include "kontext/keys.h"

namespace kd::metrics {

class State;
struct EmptyState;

// A metric of every leaf of a tree; its value is the tree of their values. The keys of the metric
// may be patterns, "params.**.kernel": the tree starts behind their part without wildcards.
struct TreeMap {
  Required<Poly<Metric>> metric;  // what is measured of each leaf
  State get_state(const kontext::ResolvedKeys& inputs) const;
  State empty() const;
  kontext::KeyPaths kontext_keys() const;
};

// A metric of all leaves of a tree together, as if each were a batch.
struct TreeReduce {
  Required<Poly<Metric>> metric;  // what is measured
  State get_state(const kontext::ResolvedKeys& inputs) const;
  State empty() const;
  kontext::KeyPaths kontext_keys() const;
};

// A metric that is skipped, and has the value {}, when one of its keys leads nowhere.
struct SkipIfMissing {
  Required<Poly<Metric>> metric;  // what is measured
  State get_state(const kontext::ResolvedKeys& inputs) const;
  State get_state_from_context(const kontext::TreeRef& context) const;
  State empty() const;
  kontext::KeyPaths kontext_keys() const;
};

// Nothing: in place of a metric that a sweep leaves out.
struct NoopMetric {
  EmptyState get_state() const;
};

}  // namespace kd::metrics

KONFIG_COMPONENT(kd::Metric, kd::metrics::TreeMap, "kauldron.kd:metrics.TreeMap");
KONFIG_COMPONENT(kd::Metric, kd::metrics::TreeReduce, "kauldron.kd:metrics.TreeReduce");
KONFIG_COMPONENT(kd::Metric, kd::metrics::SkipIfMissing, "kauldron.kd:metrics.SkipIfMissing");
KONFIG_COMPONENT(kd::Metric, kd::metrics::NoopMetric, "kauldron.kd:metrics.NoopMetric");
