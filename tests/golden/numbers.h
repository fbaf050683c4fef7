// Comparison of tensors with the reference's numbers.
#pragma once

#include <string>

#include "kd/core/tensor.h"
#include "konfig/value.h"

namespace golden {

// How close ours must be: |ours - wanted| <= atol + rtol * |wanted|. NaN matches NaN only, an
// infinity the same one only. With 0 and 0 values are equal (and -0 equals 0).
struct Tolerance {
  double atol = 0, rtol = 0;
  bool check_dtype = true;
};
// From a case: "exact", {"atol": .., "rtol": ..} (either may be missing), a number (both), or none.
Tolerance tolerance_of(const konfig::Value& value);

// "" when close; else what differs: dtype, shape, or how many elements and the worst of them.
std::string difference(const kd::Tensor& ours, const kd::Tensor& wanted,
                       const Tolerance& tolerance);

}  // namespace golden
