// Tensor: libtorch's, with its arithmetic (`a + b`) and as few of its headers as can be. Other
// operators (`ATen/ops/...`) are for sources; models use the functions of kd/nn/engine/nn.h.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/TensorBody.h>

#include "kd/core/tensor_fwd.h"
