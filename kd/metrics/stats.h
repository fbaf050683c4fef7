// Numbers about tensors: norms, standard deviations, single elements.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <variant>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"

namespace kd::metrics {

struct AverageState;
struct NormState;
struct StdState;

// How norms become one number: their mean, or the norm of everything together.
enum class Aggregation { average, concat };

// Norms of matrices that have a name: the root of the sum of squares, the sum of singular values.
enum class MatrixNorm { fro, nuc };

// The order of a norm, as in numpy.
struct NormOrder : std::variant<double, MatrixNorm> {
  static constexpr std::string_view konfig_name = "a number, 'fro' or 'nuc'";
  using variant::variant;
  NormOrder(int order) : variant(static_cast<double>(order)) {}
};

// The norm of a tensor along an axis.
struct Norm {
  Key tensor = Key::required();  // what is measured
  std::optional<Key> mask = {};  // weights of the norms, broadcast to them; all 1 when absent
  // An axis of vectors, or two of matrices; None: the whole tensor as one vector.
  std::optional<std::variant<int, std::array<int, 2>>> axis = -1;
  std::optional<NormOrder> ord = {};                 // 1, 2, inf, "nuc", ...; None: Euclidean
  std::optional<Aggregation> aggregation_type = {};  // None: average
  NormState get_state(Float<"*any"> tensor, std::optional<Tensor> mask) const;
};

// Standard deviation of all values: the square root of the mean of squares minus the squared mean.
struct Std {
  Key values = Key::required();  // what is measured
  std::optional<Key> mask = {};  // not 0: counts, but as much as the mask says
  StdState get_state(Float<"*b n"> values, std::optional<Array<"*b 1">> mask) const;
};

// The mean of one element of the last axis.
struct SingleDimension {
  Key tensor = Key::required();  // what is measured
  std::optional<int> index = 0;  // which element, from the end when negative; None: all of them
  AverageState get_state(Float<"*any"> tensor) const;
};

}  // namespace kd::metrics

KONFIG_COMPONENT(kd::Metric, kd::metrics::Norm, "kauldron.kd:metrics.Norm");
KONFIG_COMPONENT(kd::Metric, kd::metrics::Std, "kauldron.kd:metrics.Std");
KONFIG_COMPONENT(kd::Metric, kd::metrics::SingleDimension, "kauldron.kd:metrics.SingleDimension");
