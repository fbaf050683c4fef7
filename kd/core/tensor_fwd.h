// Tensor, declared only: for headers that must not need libtorch. kd/core/tensor.h defines it.
#pragma once

namespace at {
class Tensor;
}

namespace kd {
using Tensor = at::Tensor;
}
