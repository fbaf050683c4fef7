// ConfusionMatrix, as text.
#include <ATen/ops/zeros.h>

#include "kd/metrics/engine/classes.h"
#include "kd/metrics/engine/metric.h"
#include "kd/summaries/engine/states.h"
#include "kd/summaries/images_impl.h"
#include "kd/summaries/number_text_impl.h"

namespace kd::summaries::contrib {

using kd::summaries::detail::collected;

ConfusionMatrixState ConfusionMatrix::get_state(Float<"*b n"> logits, Int<"*b 1"> labels,
                                                std::optional<Float<"*b 1">> sample_weight) const {
  std::optional<Tensor> weights;
  if (sample_weight) weights = sample_weight->detach().reshape({-1});
  return {.labels = labels.reshape({-1}),
          .preds = metrics::predicted_class(logits.detach()).reshape({-1}),
          .sample_weight = weights,
          .num_classes = logits.size(-1),
          .normalize = normalize,
          .precision = precision};
}

Tree ConfusionMatrixState::compute() const {
  Tensor rows = collected(labels).to(at::kLong).contiguous();
  Tensor columns = collected(preds).to(at::kLong).contiguous();
  bool weighted = sample_weight.tree().is_tensor();
  Tensor weights = weighted ? sample_weight.tensor().to(at::kDouble).contiguous() : Tensor();
  std::int64_t classes = *num_classes, known = 0;
  Tensor matrix = at::zeros({classes, classes}, at::kDouble);
  double* cells = matrix.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < rows.numel(); ++i) {
    std::int64_t row = rows.const_data_ptr<std::int64_t>()[i];
    std::int64_t column = columns.const_data_ptr<std::int64_t>()[i];
    if (row < 0 || row >= classes) continue;
    ++known;
    cells[row * classes + column] += weighted ? weights.const_data_ptr<double>()[i] : 1;
  }
  if (known == 0) {
    throw konfig::Error(konfig::ErrorKind::value, "ConfusionMatrix: no label is one of the " +
                                                      std::to_string(classes) + " classes");
  }
  if (!*normalize && !weighted) matrix = matrix.to(at::kLong);
  if (*normalize == Normalize::true_) matrix = matrix / matrix.sum({1}, /*keepdim=*/true);
  if (*normalize == Normalize::pred) matrix = matrix / matrix.sum({0}, /*keepdim=*/true);
  if (*normalize == Normalize::all) matrix = matrix / matrix.sum();
  if (*normalize) matrix.nan_to_num_();  // classes without examples
  return Tree(Tree::Texts{kd::summaries::detail::array_repr(matrix, *precision)});
}

}  // namespace kd::summaries::contrib
