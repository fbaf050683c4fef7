// RocAuc: the samples of all batches, then one area per class.
#include "kd/metrics/engine/roc_auc.h"

#include <ATen/ops/ones_like.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <cmath>

#include "kd/metrics/curves_impl.h"
#include "kd/metrics/engine/metric.h"

namespace kd::metrics {

using konfig::Error;
using konfig::ErrorKind;

namespace {

// Rows of probabilities with labels and weights.
struct Samples {
  std::vector<std::int64_t> labels;
  std::vector<float> weights;
  std::vector<float> probs;
  std::size_t classes = 0;

  float prob(std::size_t row, std::size_t c) const { return probs[row * classes + c]; }
};

template <class T>
std::vector<T> to_vector(const Tensor& tensor, c10::ScalarType dtype) {
  Tensor flat = tensor.to(dtype).contiguous();
  auto* data = flat.const_data_ptr<T>();
  return {data, data + flat.numel()};
}

std::vector<std::int64_t> classes_of(const std::vector<std::int64_t>& labels) {
  std::vector<std::int64_t> out = labels;
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Only the given classes, whose probabilities add up to 1 again.
Samples keep_classes(const Samples& all, const std::vector<std::int64_t>& classes) {
  Samples out{.labels = all.labels, .weights = all.weights, .probs = {}, .classes = classes.size()};
  std::vector<std::size_t> columns;
  for (std::int64_t c : classes) {
    auto n = static_cast<std::int64_t>(all.classes);
    if (c < -n || c >= n) {
      throw Error(ErrorKind::index, "label " + std::to_string(c) + " is none of the " +
                                        std::to_string(n) + " classes of the logits");
    }
    columns.push_back(static_cast<std::size_t>(c < 0 ? c + n : c));
  }
  for (std::size_t row = 0; row < all.labels.size(); ++row) {
    float sum = 0;
    for (std::size_t c : columns) sum += all.prob(row, c);
    for (std::size_t c : columns) {
      out.probs.push_back(all.prob(row, c) / sum);
      if (std::isfinite(out.probs.back())) continue;
      throw Error(ErrorKind::value, "the probabilities of sample " + std::to_string(row) +
                                        " are no finite numbers; look at the logits");
    }
  }
  return out;
}

double area_of_class(const Samples& samples, std::size_t column, std::int64_t label) {
  std::vector<detail::Sample> list;
  for (std::size_t row = 0; row < samples.labels.size(); ++row) {
    list.push_back({samples.prob(row, column), samples.labels[row] == label, samples.weights[row]});
  }
  return detail::roc_auc(std::move(list));
}

void check_known(const std::vector<std::int64_t>& present,
                 const std::vector<std::int64_t>& classes) {
  if (!std::ranges::is_sorted(classes) || std::ranges::adjacent_find(classes) != classes.end()) {
    throw Error(ErrorKind::value, "unique_labels must be in order, each once");
  }
  for (std::int64_t label : present) {
    if (std::ranges::binary_search(classes, label)) continue;
    throw Error(ErrorKind::value, "label " + std::to_string(label) + " is not in unique_labels");
  }
}

}  // namespace

RocAucState RocAuc::get_state(Float<"*b n"> logits, Int<"*b 1"> labels,
                              std::optional<Array<"*b 1">> mask) const {
  return {.labels = labels.reshape({-1}),
          .probs = at::softmax(logits, -1).reshape({-1, logits.size(-1)}),
          .mask = mask ? mask->to(at::kFloat).reshape({-1})
                       : at::ones_like(labels, at::kFloat).reshape({-1}),
          .unique_labels = unique_labels,
          .mode = multi_class_mode};
}

double RocAucState::compute() const {
  if (labels.empty()) return 0;
  Samples all{.labels = to_vector<std::int64_t>(labels.tensor(), at::kLong),
              .weights = to_vector<float>(mask.tensor(), at::kFloat),
              .probs = to_vector<float>(probs.tensor(), at::kFloat),
              .classes = static_cast<std::size_t>(probs.tensor().size(-1))};
  std::vector<std::int64_t> present = classes_of(all.labels);
  std::vector<std::int64_t> classes = present;
  if (*unique_labels) classes.assign((*unique_labels)->begin(), (*unique_labels)->end());
  if (present.size() < 2) return 0;
  check_known(present, classes);
  Samples kept = keep_classes(all, classes);
  if (classes.size() == 2) return area_of_class(kept, 1, classes[1]);
  if (*mode == MultiClassMode::ovo) {
    throw Error(ErrorKind::value, "multi_class_mode: ovo works with two classes only, there are " +
                                      std::to_string(classes.size()) + "; use ovr");
  }
  double sum = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) sum += area_of_class(kept, c, classes[c]);
  return sum / static_cast<double>(classes.size());
}

}  // namespace kd::metrics
