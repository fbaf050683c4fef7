// Numbers of files in the other byte order. Library only.
#pragma once

#include <algorithm>

#include "kd/core/tensor.h"

namespace kd::io {

// A copy with the bytes of each element turned round.
inline Tensor swapped(const Tensor& from) {
  Tensor out = from.clone();
  const std::size_t n = out.element_size();
  auto* bytes = static_cast<unsigned char*>(out.mutable_data_ptr());
  for (std::int64_t i = 0; i < out.numel(); ++i, bytes += n) std::reverse(bytes, bytes + n);
  return out;
}

}  // namespace kd::io
