// Recurrent cells.
#include "kd/nn/recurrent/recurrent.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>

#include "base/shape_text.h"
#include "kd/nn/engine/initializer.h"
#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/rnn_cell.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

// The kernels of a cell, by name: `i` for inputs, `h` for the state, then the gate.
template <class Cell>
struct Gates {
  const Cell& cell;
  const Tensor& inputs;
  const Tensor& state;

  Tensor of_inputs(const char* name, const Poly<Initializer>* bias) const {
    return dense(name, cell.kernel_init, bias)(inputs);
  }
  Tensor of_state(const char* name, const Poly<Initializer>* bias) const {
    return dense(name, cell.recurrent_kernel_init, bias)(state);
  }

 private:
  Named<Dense> dense(const char* name, const Poly<Initializer>& kernel,
                     const Poly<Initializer>* bias) const {
    return named(name, Dense{.features = static_cast<int>(state.size(-1)),
                             .use_bias = bias != nullptr,
                             .dtype = cell.dtype,
                             .param_dtype = cell.param_dtype,
                             .kernel_init = kernel,
                             .bias_init = bias ? *bias : initializers::zeros()});
  }
};

// The parameters of a Dense layer, without the product.
struct DenseParams : Module<DenseParams> {
  int features = 1;
  bool use_bias = true;
  DType param_dtype = DType::float32;
  Poly<Initializer> kernel_init = initializers::lecun_normal();
  Poly<Initializer> bias_init = initializers::zeros();

  std::pair<Tensor, std::optional<Tensor>> call(const Tensor& inputs) const {
    at::ScalarType type = scalar_type(param_dtype);
    Tensor kernel = param("kernel", {inputs.size(-1), features}, kernel_init, type);
    if (!use_bias) return {kernel, std::nullopt};
    return {kernel, param("bias", {features}, bias_init, type)};
  }
};

void check_state(const Tensor& state, const Tensor& inputs) {
  if (state.dim() == 0 || inputs.dim() == 0 || state.dim() != inputs.dim()) {
    detail::fail("state and inputs are (batch..., features); they are " +
                 base::tuple_text(state.sizes()) + " and " + base::tuple_text(inputs.sizes()));
  }
}

template <class Cell>
Tensor first_state(const Cell& cell, const random::Key& key, CellShape input_shape) {
  std::vector<std::int64_t> shape = input_shape.vec();
  if (shape.empty()) detail::fail("the input of a cell needs a dimension of features");
  shape.back() = cell.features;
  return cell.carry_init(key, shape, scalar_type(cell.param_dtype));
}

template <class Cell>
LstmCarry first_states(const Cell& cell, const random::Key& key, CellShape input_shape) {
  auto [c, h] = random::split<2>(key);
  return {first_state(cell, c, input_shape), first_state(cell, h, input_shape)};
}

}  // namespace

std::pair<Tensor, Tensor> SimpleCell::call(const Tensor& carry, const Tensor& inputs) const {
  check_state(carry, inputs);
  Gates<SimpleCell> gates{*this, inputs, carry};
  Tensor next = gates.of_inputs("i", &bias_init) + gates.of_state("h", nullptr);
  if (residual) next = next + carry;
  next = activation_fn(next);
  return {next, next};
}

std::pair<LstmCarry, Tensor> LSTMCell::call(const LstmCarry& carry, const Tensor& inputs) const {
  auto& [c, h] = carry;
  check_state(h, inputs);
  Gates<LSTMCell> gates{*this, inputs, h};
  auto sum = [&](const char* of_inputs, const char* of_state) {
    return gates.of_inputs(of_inputs, nullptr) + gates.of_state(of_state, &bias_init);
  };
  Tensor i = gate_fn(sum("ii", "hi")), f = gate_fn(sum("if", "hf")),
         g = activation_fn(sum("ig", "hg")), o = gate_fn(sum("io", "ho"));
  Tensor new_c = f * c + i * g;
  Tensor new_h = o * activation_fn(new_c);
  return {{new_c, new_h}, new_h};
}

std::pair<LstmCarry, Tensor> OptimizedLSTMCell::call(const LstmCarry& carry,
                                                     const Tensor& inputs) const {
  auto& [c, h] = carry;
  check_state(h, inputs);
  auto size = static_cast<int>(h.size(-1));
  std::vector<Tensor> input_kernels, state_kernels, biases;
  for (std::string gate : {"i", "f", "g", "o"}) {
    input_kernels.push_back(named("i" + gate, DenseParams{.features = size,
                                                          .use_bias = false,
                                                          .param_dtype = param_dtype,
                                                          .kernel_init = kernel_init})(inputs)
                                .first);
    auto [kernel, bias] = named("h" + gate, DenseParams{.features = size,
                                                        .param_dtype = param_dtype,
                                                        .kernel_init = recurrent_kernel_init,
                                                        .bias_init = bias_init})(h);
    state_kernels.push_back(kernel);
    biases.push_back(*bias);
  }
  Tensor input_kernel = at::cat(input_kernels, -1), state_kernel = at::cat(state_kernels, -1),
         bias = at::cat(biases, -1);
  auto input_type = computation_type(dtype, {&inputs, &input_kernel});
  auto state_type = computation_type(dtype, {&h, &state_kernel, &bias});
  Tensor sum = at::matmul(cast(h, state_type), cast(state_kernel, state_type)) +
               cast(bias, state_type) +
               at::matmul(cast(inputs, input_type), cast(input_kernel, input_type));
  auto parts = sum.chunk(4, -1);
  Tensor i = gate_fn(parts[0]), f = gate_fn(parts[1]), g = activation_fn(parts[2]),
         o = gate_fn(parts[3]);
  Tensor new_c = f * c + i * g;
  Tensor new_h = o * activation_fn(new_c);
  return {{new_c, new_h}, new_h};
}

std::pair<Tensor, Tensor> GRUCell::call(const Tensor& carry, const Tensor& inputs) const {
  check_state(carry, inputs);
  Gates<GRUCell> gates{*this, inputs, carry};
  Tensor r = gate_fn(gates.of_inputs("ir", &bias_init) + gates.of_state("hr", nullptr));
  Tensor z = gate_fn(gates.of_inputs("iz", &bias_init) + gates.of_state("hz", nullptr));
  // The state's part is not summed directly, so it has a bias of its own.
  Tensor n =
      activation_fn(gates.of_inputs("in", &bias_init) + r * gates.of_state("hn", &bias_init));
  Tensor next = (1 - z) * n + z * carry;
  return {next, next};
}

std::pair<Tensor, Tensor> MGUCell::call(const Tensor& carry, const Tensor& inputs) const {
  check_state(carry, inputs);
  Gates<MGUCell> gates{*this, inputs, carry};
  Tensor f = gate_fn(gates.of_inputs("if", &forget_bias_init) + gates.of_state("hf", nullptr));
  Tensor x = gates.of_state("hn", reset_gate ? &activation_bias_init : nullptr);
  if (reset_gate) x = x * f;
  Tensor n = activation_fn(gates.of_inputs("in", &activation_bias_init) + x);
  Tensor next = (1 - f) * n + f * carry;
  return {next, next};
}

Tensor SimpleCell::initialize_carry(const random::Key& key, CellShape shape) const {
  return first_state(*this, key, shape);
}
LstmCarry LSTMCell::initialize_carry(const random::Key& key, CellShape shape) const {
  return first_states(*this, key, shape);
}
LstmCarry OptimizedLSTMCell::initialize_carry(const random::Key& key, CellShape shape) const {
  return first_states(*this, key, shape);
}
Tensor GRUCell::initialize_carry(const random::Key& key, CellShape shape) const {
  return first_state(*this, key, shape);
}
Tensor MGUCell::initialize_carry(const random::Key& key, CellShape shape) const {
  return first_state(*this, key, shape);
}

}  // namespace kd::nn
