// HistogramSummary, ShowPointCloud and ShowTexts.
#include "kd/summaries/values.h"

#include <ATen/ops/full.h>

#include "base/shape_text.h"
#include "kd/einops/einops.h"
#include "kd/metrics/engine/metric.h"
#include "kd/summaries/engine/states.h"
#include "kd/summaries/images_impl.h"

namespace kd::summaries {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

void expect_values(const Tensor& tensor, const char* what) {
  if (tensor.numel() > 0) return;
  throw Error(ErrorKind::value, std::string(what) + ": there are no values, the shape is " +
                                    base::shape_text(tensor.sizes()));
}

// Texts and numbers, these in double precision.
Tree as_tree(const Value& value) {
  if (auto* dict = value.get_if<konfig::Dict>()) {
    Tree out = Tree::dict();
    for (auto& [name, item] : *dict) out[name.as<std::string>()] = as_tree(item);
    return out;
  }
  if (auto* text = value.get_if<std::string>()) return Tree(Tree::Texts{*text});
  if (auto* flag = value.get_if<bool>()) return Tree(at::full({}, *flag, at::kBool));
  if (auto* whole = value.get_if<std::int64_t>()) return Tree(at::full({}, *whole, at::kLong));
  if (auto* number = value.get_if<double>()) return Tree(at::full({}, *number, at::kDouble));
  if (value.is_none()) return Tree();
  throw Error(ErrorKind::type, "ShowPointCloud.configs: only dicts, texts and numbers are shown");
}

// Small points seen from close by.
Value default_configs() {
  return konfig::Dict{
      {"camera", konfig::Dict{{"cls", "PerspectiveCamera"}, {"near", 1e-4}}},
      {"material", konfig::Dict{{"cls", "PointsMaterial"}, {"size", 0.03}}},
  };
}

bool is_unset(const Value& configs) {
  auto* dict = configs.get_if<konfig::Dict>();
  return configs.is_none() || (dict && dict->size() == 0);
}

}  // namespace

HistogramState HistogramSummary::get_state(Array<"*any"> tensor) const {
  return {.tensor = tensor.detach().reshape({-1}), .num_buckets = num_buckets};
}

Tree HistogramState::compute() const {
  Tensor values = detail::collected(tensor);
  expect_values(values, "HistogramSummary");
  return Tree::record("Histogram",
                      {{"tensor", values}, {"num_buckets", at::full({}, *num_buckets, at::kLong)}});
}

PointCloudState ShowPointCloud::get_state(Float<"..."> point_clouds,
                                          std::optional<Float<"...">> point_colors) const {
  auto prepare = [&](Tensor points) {
    points = points.detach();
    if (rearrange) {
      points =
          einops::rearrange(points, *rearrange, rearrange_kwargs ? *rearrange_kwargs : Map<int>());
    }
    if (points.dim() != 2 || points.size(1) != 3) {
      throw Error(ErrorKind::value,
                  "ShowPointCloud: points and colours have the shape (n, 3); it is " +
                      base::shape_text(points.sizes()) + "; `rearrange` can change it");
    }
    return num_points && *num_points > 0 ? detail::first(points, *num_points) : points;
  };
  std::optional<Tensor> colors;
  if (point_colors) colors = prepare(*point_colors);
  return {.point_clouds = prepare(point_clouds),
          .point_colors = colors,
          .configs = is_unset(configs) ? default_configs() : configs};
}

Tree PointCloudState::compute() const {
  Tensor points = detail::collected(point_clouds);
  expect_values(points, "ShowPointCloud");
  return Tree::record("PointCloud", {{"point_clouds", points},
                                     {"point_colors", point_colors.tree()},
                                     {"configs", as_tree(*configs)}});
}

ShowTextsState ShowTexts::get_state(const kontext::Resolved& texts) const {
  Tree::Texts all;
  auto add = [&](const auto& self, const kontext::TreeRef& place) -> void {
    if (auto* text = place.get_if<std::string>()) {
      all.push_back(*text);
    } else if (place.shape() == kontext::Shape::list || place.shape() == kontext::Shape::tuple) {
      place.each([&](const kontext::Part&, const kontext::TreeRef& item) {
        return self(self, item), false;
      });
    } else {
      throw Error(ErrorKind::type,
                  "ShowTexts: expected texts, found " + std::string(place.type_name()));
    }
  };
  add(add, texts.found);
  return {.texts = {Tree(std::move(all)), num_texts}};
}

}  // namespace kd::summaries
