// Functions of tensors, computed as the reference does.
#include "kd/random/special.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/erfinv.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log1p.h>

#include "kd/random/kernels_impl.h"
#include "kd/random/source_impl.h"

namespace kd::random {
namespace {

using detail::Function;

Tensor map(const char* name, Function function, const Tensor& x,
           Tensor (*in_double)(const Tensor&)) {
  auto dtype = x.scalar_type();
  detail::format_of(name, dtype);
  if (dtype == at::kDouble) return in_double(x);
  Tensor in = x.detach().to(at::kFloat).contiguous();
  Tensor out = at::empty(in.sizes(), in.options());
  auto* from = in.const_data_ptr<float>();
  auto* to = out.mutable_data_ptr<float>();
  detail::in_pieces(in.numel(), [&](std::int64_t begin, std::int64_t n) {
    detail::kernels().map(function, from + begin, n, to + begin);
  });
  return out.to(dtype);
}

}  // namespace

Tensor log(const Tensor& x) { return map("log", Function::log, x, at::log); }
Tensor log1p(const Tensor& x) { return map("log1p", Function::log1p, x, at::log1p); }
Tensor erf(const Tensor& x) { return map("erf", Function::erf, x, at::erf); }
Tensor erf_inv(const Tensor& x) { return map("erf_inv", Function::erf_inv, x, at::erfinv); }

}  // namespace kd::random
