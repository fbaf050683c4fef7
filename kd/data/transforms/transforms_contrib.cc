// Small transforms of values, as in the reference's contrib.
#include "kd/data/transforms/transforms_contrib.h"

#include "kd/data/engine/transform.h"
#include "kd/data/transforms/contrib_impl.h"

namespace kd::data::contrib {

Tensor Normalize::map_element(const Tensor& element) const {
  const Tensor x = element.to(scalar_type(dtype)) / in_vrange.second;
  return (x - detail::by_channel(normalize_mean, x, "normalize_mean")) /
         detail::by_channel(normalize_std, x, "normalize_std");
}

Tensor AddBias::map_element(const Tensor& element) const { return element + *bias; }
Tensor Scale::map_element(const Tensor& element) const { return element * *factor; }
Tensor OneMinus::map_element(const Tensor& element) const { return 1 - element; }
Tensor Binarize::map_element(const Tensor& element) const {
  return (element > *threshold).to(at::kInt);
}

}  // namespace kd::data::contrib
