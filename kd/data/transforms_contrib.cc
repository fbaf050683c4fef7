// Small transforms of values, as in the reference's contrib.
#include "kd/data/transforms_contrib.h"

#include <ATen/ops/tensor.h>

#include "kd/data/errors.h"
#include "kd/data/transform.h"

namespace kd::data::contrib {

namespace {

Tensor channels(const std::vector<double>& values, const Tensor& element, const char* field) {
  const bool fits =
      values.size() == 1 ||
      (element.dim() > 0 && element.size(-1) == static_cast<std::int64_t>(values.size()));
  if (!fits) {
    throw Error(ErrorKind::value,
                std::string(field) + ": " + std::to_string(values.size()) +
                    " numbers for a last dimension of " +
                    (element.dim() > 0 ? std::to_string(element.size(-1)) : "none"));
  }
  return at::tensor(values, element.scalar_type());
}

}  // namespace

Tensor Normalize::map_element(const Tensor& element) const {
  const Tensor x = element.to(scalar_type(dtype)) / in_vrange.second;
  return (x - channels(normalize_mean, x, "normalize_mean")) /
         channels(normalize_std, x, "normalize_std");
}

Tensor AddBias::map_element(const Tensor& element) const { return element + *bias; }
Tensor Scale::map_element(const Tensor& element) const { return element * *factor; }
Tensor OneMinus::map_element(const Tensor& element) const { return 1 - element; }
Tensor Binarize::map_element(const Tensor& element) const {
  return (element > *threshold).to(at::kInt);
}

}  // namespace kd::data::contrib

KD_IMPLEMENT(kd::Transform, kd::data::contrib::Normalize);
KD_IMPLEMENT(kd::Transform, kd::data::contrib::AddBias);
KD_IMPLEMENT(kd::Transform, kd::data::contrib::Scale);
KD_IMPLEMENT(kd::Transform, kd::data::contrib::OneMinus);
KD_IMPLEMENT(kd::Transform, kd::data::contrib::Binarize);
