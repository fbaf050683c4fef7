// DType: the element type of a parameter or of a computation, as configs name it. Free of libtorch.
//
//   cfg.model = nn::Dense{.features = 10, .dtype = DType::bfloat16};      // computes in bfloat16
//
// In a config it is a name ("bfloat16") or the reference's constant (`jax.numpy:bfloat16`).
#pragma once

#include <cstdint>

namespace c10 {
enum class ScalarType : std::int8_t;
}

namespace kd {

enum class DType : std::uint8_t {
  float32,
  bfloat16,
  float16,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  bool_,
};

// libtorch's name for it.
c10::ScalarType scalar_type(DType dtype);

}  // namespace kd
