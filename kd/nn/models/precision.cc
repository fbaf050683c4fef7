// A policy of number types for all layers below a module.
#include "kd/nn/models/precision.h"

#include "kd/core/ops.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/module/keys.h"
#include "kd/nn/run_impl.h"

namespace kd::nn {

namespace {

class ComputeIn {
 public:
  explicit ComputeIn(DType dtype) : before_(detail::current_run().compute) {
    detail::current_run().compute = dtype;
  }
  ~ComputeIn() { detail::current_run().compute = before_; }
  ComputeIn(const ComputeIn&) = delete;
  ComputeIn& operator=(const ComputeIn&) = delete;

 private:
  std::optional<DType> before_;
};

Tensor converted(const Tensor& tensor, at::ScalarType type) {
  return at::isFloatingType(tensor.scalar_type()) ? tensor.to(type) : tensor;
}

// Tensors and trees of them; a struct is left as the model made it.
Out in_type(const Out& out, at::ScalarType type) {
  if (auto* tensor = out.tree().get_if<Tensor>()) {
    return Out(kontext::TreeRef::own(converted(*tensor, type)));
  }
  if (auto* tree = out.tree().get_if<Tree>()) {
    return Out(kontext::TreeRef::own(
        map(*tree, [&](const Tensor& leaf) { return converted(leaf, type); })));
  }
  return out;
}

}  // namespace

Out MixedPrecision::call(const Arguments& args) const {
  ComputeIn policy(compute);
  return in_type(call_named("", model, args), scalar_type(output));
}

kontext::KeyPaths MixedPrecision::kontext_keys() const { return keypaths(model); }

}  // namespace kd::nn
