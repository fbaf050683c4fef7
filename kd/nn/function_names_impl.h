// The functions of one tensor that configs name, each as flax.linen:NAME and jax.nn:NAME. One list
// for the names, which are known without libtorch, and for the functions. Library only.
#pragma once

// X(name in configs, function)
#define KD_NN_FUNCTIONS(X)              \
  X("identity", identity)               \
  X("relu", relu)                       \
  X("relu6", relu6)                     \
  X("gelu", gelu)                       \
  X("silu", silu)                       \
  X("swish", swish)                     \
  X("mish", mish)                       \
  X("sigmoid", sigmoid)                 \
  X("tanh", tanh)                       \
  X("softplus", softplus)               \
  X("squareplus", squareplus)           \
  X("soft_sign", soft_sign)             \
  X("log_sigmoid", log_sigmoid)         \
  X("elu", elu)                         \
  X("celu", celu)                       \
  X("selu", selu)                       \
  X("leaky_relu", leaky_relu)           \
  X("hard_tanh", hard_tanh)             \
  X("hard_sigmoid", hard_sigmoid)       \
  X("hard_silu", hard_silu)             \
  X("hard_swish", hard_swish)           \
  X("softmax", softmax_of_last)         \
  X("log_softmax", log_softmax_of_last) \
  X("glu", glu_of_last)                 \
  X("standardize", standardize_last)
