// Fuzz target: any text as a pattern of einops.
#include "kd/einops/einops.h"

#include <ATen/ops/arange.h>

#include "kd/core/tensor.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const kd::Tensor x = at::arange(24, at::kLong).reshape({2, 3, 4});
  fuzz::only_errors([&] {
    const kd::Tensor y = kd::einops::rearrange(x, text);
    fuzz::require(y.sum().equal(x.sum()), "values were lost on the way", text, "");
  });
  fuzz::only_errors([&] { kd::einops::repeat(x, text); });
  fuzz::only_errors([&] { kd::einops::reduce(x, text, "sum"); });
  return 0;
}
