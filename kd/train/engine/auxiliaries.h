// Auxiliaries: the losses, metrics and summaries of a step, and what they measured.
//
//   AuxState aux = ...;                       // of a batch
//   aux = merged(std::move(aux), next);       // of two
//   AuxValues values = compute(aux);          // "losses/total", "metrics/accuracy", ...
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/train/engine/aux_state.h"
#include "kd/train/engine/context.h"

namespace kd::train {

struct Auxiliaries {
  Map<Poly<Loss>> losses;
  Map<Poly<Metric>> metrics;
  Map<Poly<Summary>> summaries;
};

// Which groups a step gives back.
struct Returns {
  bool losses = true;
  bool metrics = false;
  bool summaries = false;
};

// A group that only one of them has is that one's.
AuxState merged(AuxState a, const AuxState& b);

// Flat names: "losses/recon", "losses/total", "metrics/norms/encoder/kernel", "summaries/images".
struct AuxValues {
  std::vector<std::pair<std::string, double>> losses, metrics;
  std::vector<std::pair<std::string, Tree>> summaries;

  // The value of a loss or metric by its whole name; none when it is not there.
  std::optional<double> find(std::string_view name) const;
};
// An Error names the metric.
AuxValues compute(const AuxState& aux);

// The states of a group from a context. The Error of one starts with its name.
NamedStates states_of(const Map<Poly<Metric>>& metrics, const Context& context);

// The roots that the keys of a group need; an Error for a key whose root does not exist.
template <class I>
std::vector<std::string> roots_of(const Map<Poly<I>>& group);
extern template std::vector<std::string> roots_of(const Map<Poly<Loss>>& group);
extern template std::vector<std::string> roots_of(const Map<Poly<Metric>>& group);

}  // namespace kd::train
