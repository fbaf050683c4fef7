// Moments and histograms, batch by batch.
#include "kd/inspect/engine/data_stats.h"

#include <ATen/ops/histc.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/masked_select.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "kd/data/engine/batch.h"
#include "kd/inspect/late_progress.h"

namespace kd::inspect {

namespace {

using Visit = std::function<void(const std::string& name, const Tree& leaf)>;

void each_leaf(const Tree& tree, const std::string& path, const Visit& visit) {
  if (tree.is_leaf() && !tree.is_none()) visit(path, tree);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string step = tree.has_names() ? tree.name(i) : "[" + std::to_string(i) + "]";
    each_leaf(tree.child(i), konfig::join_path(path, step), visit);
  }
}

// Numbers that are finite, as float64: sums of an epoch need the digits.
Tensor finite_values(const Tensor& tensor) {
  Tensor values = tensor.to(at::kDouble).flatten();
  if (!tensor.is_floating_point()) return values;
  const Tensor finite = at::isfinite(values);
  return finite.all().item<bool>() ? values : at::masked_select(values, finite);
}

// Mean and squared deviations of both parts together (Chan's formula): no second pass, no loss of
// digits.
struct Moments {
  double n = 0, mean = 0, m2 = 0;
  void add(const Tensor& values) {
    const auto m = static_cast<double>(values.numel());
    const double other_mean = values.mean().item<double>();
    const double other_m2 = (values - other_mean).pow(2).sum().item<double>();
    const double delta = other_mean - mean, total = n + m;
    mean += delta * m / total;
    m2 += other_m2 + delta * delta * n * m / total;
    n = total;
  }
};

// Reads up to `batches`, with a bar when that takes long.
void read(const data::Dataset& dataset, std::int64_t batches, const char* what,
          const std::function<void(const Tree&)>& use) {
  LateProgress progress(dataset.is_infinite() ? batches : std::min(batches, dataset.size()), what);
  data::Iterator it = dataset.iterate();
  for (std::int64_t i = 0; i < batches; ++i) {
    const auto batch = it.next();
    if (!batch) return;
    use(*batch);
    progress.update(i + 1);
  }
}

std::string bars(const ElementStats& stats) {
  static constexpr std::string_view kBars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto most = *std::max_element(stats.histogram.begin(), stats.histogram.end());
  std::string out;
  for (std::int64_t n : stats.histogram) {
    // Whatever is there is seen.
    const auto level = most == 0 ? 0 : (8 * n + most - 1) / most;
    out += kBars[static_cast<std::size_t>(level)];
  }
  return out;
}

}  // namespace

DataStats data_stats(const data::Dataset& dataset, std::int64_t batches) {
  DataStats out;
  std::vector<Moments> moments;
  auto slot = [&](const std::string& name, const Tree& leaf) -> std::size_t {
    for (std::size_t i = 0; i < out.elements.size(); ++i) {
      if (out.elements[i].name == name) return i;
    }
    const std::string spec = leaf.is_tensor() ? data::spec_text(leaf.tensor())
                                              : "text[" + std::to_string(leaf.texts().size()) + "]";
    out.elements.push_back({.name = name, .spec = spec, .min = INFINITY, .max = -INFINITY});
    moments.emplace_back();
    return out.elements.size() - 1;
  };
  read(dataset, batches, "stats", [&](const Tree& batch) {
    ++out.batches;
    std::int64_t rows = 1;
    each_leaf(batch, "", [&](const std::string& name, const Tree& leaf) {
      const std::size_t i = slot(name, leaf);
      if (!leaf.is_tensor()) {
        rows = static_cast<std::int64_t>(leaf.texts().size());
        out.elements[i].count += rows;
        return;
      }
      const Tensor& tensor = leaf.tensor();
      if (tensor.dim() > 0) rows = tensor.size(0);
      const Tensor values = finite_values(tensor);
      ElementStats& element = out.elements[i];
      element.count += tensor.numel();
      element.not_finite += tensor.numel() - values.numel();
      if (values.numel() == 0) return;
      element.min = std::min(element.min, values.min().item<double>());
      element.max = std::max(element.max, values.max().item<double>());
      moments[i].add(values);
    });
    out.records += rows;
  });
  for (std::size_t i = 0; i < out.elements.size(); ++i) {
    out.elements[i].mean = moments[i].mean;
    out.elements[i].std = moments[i].n > 0 ? std::sqrt(moments[i].m2 / moments[i].n) : 0;
  }
  read(dataset, batches, "histograms", [&](const Tree& batch) {
    each_leaf(batch, "", [&](const std::string& name, const Tree& leaf) {
      if (!leaf.is_tensor()) return;
      ElementStats& element = out.elements[slot(name, leaf)];
      const Tensor values = finite_values(leaf.tensor());
      if (values.numel() == 0) return;
      const Tensor counts = at::histc(values, ElementStats::kBins, element.min, element.max);
      for (std::int64_t k = 0; k < ElementStats::kBins; ++k) {
        element.histogram[static_cast<std::size_t>(k)] += std::llround(counts[k].item<double>());
      }
    });
  });
  return out;
}

std::string stats_text(const DataStats& stats) {
  std::size_t name = 7, spec = 4;
  for (auto& element : stats.elements) {
    name = std::max(name, element.name.size());
    spec = std::max(spec, element.spec.size());
  }
  std::string out = fmt::format("{} batches, {} records\n", stats.batches, stats.records);
  out += fmt::format("{:<{}}  {:<{}}  {:>10}  {:>10}  {:>10}  {:>10}  histogram\n", "element", name,
                     "type", spec, "min", "max", "mean", "std");
  for (auto& element : stats.elements) {
    out += fmt::format("{:<{}}  {:<{}}", element.name, name, element.spec, spec);
    if (element.spec.starts_with("text")) {
      out += "\n";
      continue;
    }
    out += fmt::format("  {:>10.5g}  {:>10.5g}  {:>10.5g}  {:>10.5g}  |{}|", element.min,
                       element.max, element.mean, element.std, bars(element));
    if (element.not_finite > 0) out += fmt::format("  {} not finite", element.not_finite);
    out += "\n";
  }
  return out;
}

}  // namespace kd::inspect
