// Recurrent cells: one step from a state and an input to the next state and an output. RNN, in
// kd/nn/recurrent/rnn.h, runs one over a sequence.
//
//   auto [next, y] = nn::GRUCell{.features = 32}(state, x);
//
// A cell has `initialize_carry`, the state before the first step, and `num_feature_axes`, how many
// of an input's last dimensions are not batch dimensions; KD_IMPLEMENT(kd::nn::RnnCell, Cell) lets
// RNN find them.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "kd/nn/initializers/initializers_scaled.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kd/random/key.h"

namespace kd::nn {

class RnnCell;  // the interface of cells, beside Module

using CellShape = c10::ArrayRef<std::int64_t>;
using LstmCarry = std::array<Tensor, 2>;  // memory c and output h

// activation(inputs + state): the oldest of cells.
struct SimpleCell : Module<SimpleCell> {
  Required<int> features;                                                // size of the state
  Activation activation_fn = "flax.linen:tanh";                          // of the state
  Poly<Initializer> kernel_init = initializers::lecun_normal();          // of the inputs' kernels
  Poly<Initializer> recurrent_kernel_init = initializers::orthogonal();  // of the state's
  Poly<Initializer> bias_init = initializers::zeros();                   // of the biases
  std::optional<DType> dtype = {};                                       // of the computation
  DType param_dtype = DType::float32;                                    // of the parameters
  Poly<Initializer> carry_init = initializers::zeros();                  // of the first state
  bool residual = false;  // adds the state before that

  static constexpr std::string_view call_names[] = {"carry", "inputs"};
  std::pair<Tensor, Tensor> call(const Tensor& carry, const Tensor& inputs) const;
  Tensor initialize_carry(const random::Key& key, CellShape input_shape) const;
  int num_feature_axes() const { return 1; }
};

// Long short-term memory. Biases are with the kernels of the state.
struct LSTMCell : Module<LSTMCell> {
  Required<int> features;                                                // size of the state
  Activation gate_fn = "flax.linen:sigmoid";                             // of the gates
  Activation activation_fn = "flax.linen:tanh";                          // of the state
  Poly<Initializer> kernel_init = initializers::lecun_normal();          // of the inputs' kernels
  Poly<Initializer> recurrent_kernel_init = initializers::orthogonal();  // of the state's
  Poly<Initializer> bias_init = initializers::zeros();                   // of the biases
  std::optional<DType> dtype = {};                                       // of the computation
  DType param_dtype = DType::float32;                                    // of the parameters
  Poly<Initializer> carry_init = initializers::zeros();                  // of the first state

  static constexpr std::string_view call_names[] = {"carry", "inputs"};
  std::pair<LstmCarry, Tensor> call(const LstmCarry& carry, const Tensor& inputs) const;
  LstmCarry initialize_carry(const random::Key& key, CellShape input_shape) const;
  int num_feature_axes() const { return 1; }
};

// LSTMCell with the four gates in one product: the same parameters, faster.
struct OptimizedLSTMCell : Module<OptimizedLSTMCell> {
  Required<int> features;                                                // size of the state
  Activation gate_fn = "flax.linen:sigmoid";                             // of the gates
  Activation activation_fn = "flax.linen:tanh";                          // of the state
  Poly<Initializer> kernel_init = initializers::lecun_normal();          // of the inputs' kernels
  Poly<Initializer> recurrent_kernel_init = initializers::orthogonal();  // of the state's
  Poly<Initializer> bias_init = initializers::zeros();                   // of the biases
  std::optional<DType> dtype = {};                                       // of the computation
  DType param_dtype = DType::float32;                                    // of the parameters
  Poly<Initializer> carry_init = initializers::zeros();                  // of the first state

  static constexpr std::string_view call_names[] = {"carry", "inputs"};
  std::pair<LstmCarry, Tensor> call(const LstmCarry& carry, const Tensor& inputs) const;
  LstmCarry initialize_carry(const random::Key& key, CellShape input_shape) const;
  int num_feature_axes() const { return 1; }
};

// Gated recurrent unit.
struct GRUCell : Module<GRUCell> {
  Required<int> features;                                                // size of the state
  Activation gate_fn = "flax.linen:sigmoid";                             // of the gates
  Activation activation_fn = "flax.linen:tanh";                          // of the state
  Poly<Initializer> kernel_init = initializers::lecun_normal();          // of the inputs' kernels
  Poly<Initializer> recurrent_kernel_init = initializers::orthogonal();  // of the state's
  Poly<Initializer> bias_init = initializers::zeros();                   // of the biases
  std::optional<DType> dtype = {};                                       // of the computation
  DType param_dtype = DType::float32;                                    // of the parameters
  Poly<Initializer> carry_init = initializers::zeros();                  // of the first state

  static constexpr std::string_view call_names[] = {"carry", "inputs"};
  std::pair<Tensor, Tensor> call(const Tensor& carry, const Tensor& inputs) const;
  Tensor initialize_carry(const random::Key& key, CellShape input_shape) const;
  int num_feature_axes() const { return 1; }
};

// Minimal gated unit: a GRU with one gate.
struct MGUCell : Module<MGUCell> {
  Required<int> features;                                                // size of the state
  Activation gate_fn = "flax.linen:sigmoid";                             // of the gates
  Activation activation_fn = "flax.linen:tanh";                          // of the state
  Poly<Initializer> kernel_init = initializers::lecun_normal();          // of the inputs' kernels
  Poly<Initializer> recurrent_kernel_init = initializers::orthogonal();  // of the state's
  Poly<Initializer> forget_bias_init = initializers::ones();             // of the gate's bias
  Poly<Initializer> activation_bias_init = initializers::zeros();        // of the other biases
  std::optional<DType> dtype = {};                                       // of the computation
  DType param_dtype = DType::float32;                                    // of the parameters
  Poly<Initializer> carry_init = initializers::zeros();                  // of the first state
  bool reset_gate = true;  // the gate also resets the state

  static constexpr std::string_view call_names[] = {"carry", "inputs"};
  std::pair<Tensor, Tensor> call(const Tensor& carry, const Tensor& inputs) const;
  Tensor initialize_carry(const random::Key& key, CellShape input_shape) const;
  int num_feature_axes() const { return 1; }
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::SimpleCell, "flax.linen:SimpleCell");
KONFIG_COMPONENT(kd::Module, kd::nn::LSTMCell, "flax.linen:LSTMCell");
KONFIG_COMPONENT(kd::Module, kd::nn::OptimizedLSTMCell, "flax.linen:OptimizedLSTMCell");
KONFIG_COMPONENT(kd::Module, kd::nn::GRUCell, "flax.linen:GRUCell");
KONFIG_COMPONENT(kd::Module, kd::nn::MGUCell, "flax.linen:MGUCell");
KD_ALSO_IMPLEMENTS(kd::nn::RnnCell, kd::nn::SimpleCell);
KD_ALSO_IMPLEMENTS(kd::nn::RnnCell, kd::nn::LSTMCell);
KD_ALSO_IMPLEMENTS(kd::nn::RnnCell, kd::nn::OptimizedLSTMCell);
KD_ALSO_IMPLEMENTS(kd::nn::RnnCell, kd::nn::GRUCell);
KD_ALSO_IMPLEMENTS(kd::nn::RnnCell, kd::nn::MGUCell);
