// The default of an optional tensor argument, for headers that know Tensor by name only.
#pragma once

#include <optional>

#include "kd/core/tensor_fwd.h"

namespace kd::nn {

const std::optional<Tensor>& no_tensor();

}  // namespace kd::nn
