// How masks are laid over values.
#include "kd/metrics/engine/mask.h"

#include "base/shape_text.h"
#include "konfig/error.h"

namespace kd::metrics {

using konfig::Error;
using konfig::ErrorKind;

namespace {

// Axes of equal number: each is as long as that of the values, or 1.
bool expands(const Tensor& mask, const Tensor& values) {
  if (mask.dim() > values.dim()) return false;
  std::int64_t first = values.dim() - mask.dim();
  for (std::int64_t d = 0; d < mask.dim(); ++d) {
    if (mask.size(d) != 1 && mask.size(d) != values.size(first + d)) return false;
  }
  return true;
}

}  // namespace

Tensor align_left(const Tensor& mask, const Tensor& values) {
  Tensor out = mask;
  while (out.dim() < values.dim()) out = out.unsqueeze(-1);
  if (mask.size(0) != values.size(0) || !expands(out, values)) {
    throw Error(ErrorKind::value,
                "mask: shape " + base::tuple_text(mask.sizes()) + " does not fit values of shape " +
                    base::tuple_text(values.sizes()) +
                    "; a mask has the first axes of the values, and is extended to the right");
  }
  return out;
}

Tensor align_right(const Tensor& mask, const Tensor& values) {
  if (!expands(mask, values)) {
    throw Error(ErrorKind::value,
                "mask: shape " + base::tuple_text(mask.sizes()) +
                    " does not broadcast to values of shape " + base::tuple_text(values.sizes()) +
                    "; axes are matched from the last one on, so give a mask of whole examples "
                    "axes of size 1 at the end");
  }
  return mask.expand_as(values);
}

}  // namespace kd::metrics
