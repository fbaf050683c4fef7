// Transforms of values: other types, other ranges.
#include <ATen/ops/clamp.h>
#include <ATen/ops/div.h>

#include "kd/data/engine/buffers.h"
#include "kd/data/engine/transform.h"
#include "kd/data/transforms/range_kernels_impl.h"

namespace kd::data {

Tensor Cast::map_element(const Tensor& element) const { return element.to(scalar_type(*dtype)); }

namespace {

// The usual case, in one pass over memory that is used again.
Tensor map_to_float(const Tensor& element, const detail::Range& range) {
  const Tensor in = element.contiguous();
  Tensor out = new_buffer({in.sizes().data(), in.sizes().size()}, at::kFloat);
  auto* to = out.mutable_data_ptr<float>();
  if (in.scalar_type() == at::kByte) {
    detail::map_range(in.const_data_ptr<std::uint8_t>(), in.numel(), range, to);
  } else {
    detail::map_range(in.const_data_ptr<float>(), in.numel(), range, to);
  }
  return out;
}

}  // namespace

// In this order of operations: the results are the reference's to the last bit.
Tensor ValueRange::map_element(const Tensor& element) const {
  const auto [in_min, in_max] = in_vrange;
  const auto [out_min, out_max] = *vrange;
  const at::ScalarType in_type = element.scalar_type(), out_type = scalar_type(dtype);
  if (out_type == at::kFloat && (in_type == at::kByte || in_type == at::kFloat)) {
    return map_to_float(element, {.in_min = static_cast<float>(in_min),
                                  .in_size = static_cast<float>(in_max - in_min),
                                  .out_size = static_cast<float>(out_max - out_min),
                                  .out_min = static_cast<float>(out_min),
                                  .out_max = static_cast<float>(out_max),
                                  .clip = clip_values});
  }
  Tensor x = element.to(out_type);
  if (!x.is_floating_point()) x = x.to(at::kDouble);
  x = at::div(x - in_min, in_max - in_min);
  x = x * (out_max - out_min) + out_min;
  if (clip_values) x = at::clamp(x, out_min, out_max);
  return x.to(out_type);
}

}  // namespace kd::data
