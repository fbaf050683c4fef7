// Initializer: how the first values of a parameter are made.
//
//   struct Constant {                                              // one of your own
//     double value = 0.01;
//     Tensor make(const random::Key&, at::IntArrayRef shape, at::ScalarType dtype) const {
//       return at::ones(shape, dtype) * value;
//     }
//   };
//   KD_COMPONENT(kd::Initializer, Constant);
//
//   Poly<Initializer> kernel_init = initializers::LecunNormal{};
//   Tensor kernel = kernel_init(key, at::IntArrayRef({784, 128}), at::kFloat);
#pragma once

#include "kd/core/implement.h"
#include "kd/core/interfaces.h"
#include "kd/core/tensor.h"
#include "kd/random/key.h"

namespace kd::nn {

struct InitializerOps {
  Tensor (*make)(const void* initializer, const random::Key& key, at::IntArrayRef shape,
                 at::ScalarType dtype);
};

}  // namespace kd::nn

namespace kd {

template <>
struct Implement<Initializer> {
  using Ops = nn::InitializerOps;
  template <class T>
  static constexpr Ops ops = {
      [](const void* self, const random::Key& key, at::IntArrayRef shape, at::ScalarType dtype) {
        return static_cast<const T*>(self)->make(key, shape, dtype);
      }};
};

inline Tensor poly_call(const Initializer*, const Poly<Initializer>& initializer,
                        const random::Key& key, at::IntArrayRef shape, at::ScalarType dtype) {
  return ops_of(initializer).make(initializer.object().get(), key, shape, dtype);
}

}  // namespace kd
