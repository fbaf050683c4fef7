// Einsum: a product with a learned kernel, described by letters.
#include <ATen/ops/einsum.h>

#include <algorithm>

#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

using detail::Dims;
using detail::fail;

// "x,kernel->out", with letters in place of "...".
struct Equation {
  std::string input, kernel, output;
};

Equation parse(std::string text) {
  std::erase(text, ' ');
  auto arrow = text.find("->");
  if (arrow == text.npos) fail("einsum_str \"" + text + "\" must say what comes out: \"->\"");
  auto commas = std::count(text.begin(), text.end(), ',');
  if (commas != 1) {
    fail("einsum_str \"" + text + "\" must have two operands, the input and the kernel");
  }
  auto comma = text.find(',');
  if (comma > arrow) fail("einsum_str \"" + text + "\" must have its operands before \"->\"");
  return {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
}

// Replaces "..." by as many letters as the operand has dimensions left. All operands take them
// from the end of the same list, since dimensions are matched from the right.
void expand(std::string& operand, std::int64_t rank, const std::string& letters) {
  auto dots = operand.find("...");
  auto named = static_cast<std::int64_t>(operand.size()) - (dots == operand.npos ? 0 : 3);
  bool fits = dots == operand.npos ? named == rank : named <= rank;
  if (!fits) {
    fail("einsum_str names " + std::to_string(named) + " dimensions as \"" + operand +
         "\", the operand has " + std::to_string(rank));
  }
  if (dots == operand.npos) return;
  operand.replace(dots, 3, letters.substr(letters.size() - static_cast<std::size_t>(rank - named)));
}

std::string unused_letters(const Equation& equation) {
  std::string used = equation.input + equation.kernel + equation.output, out;
  for (char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    if (std::count(used.begin(), used.end(), c) == 0) out += c;
  }
  return out;
}

Equation expanded(Equation equation, std::int64_t input_rank, std::int64_t kernel_rank) {
  std::string letters = unused_letters(equation);
  auto count = [](const std::string& operand, std::int64_t rank) {
    bool dots = operand.find("...") != operand.npos;
    return dots ? rank - static_cast<std::int64_t>(operand.size()) + 3 : 0;
  };
  std::int64_t most = std::max(
      {count(equation.input, input_rank), count(equation.kernel, kernel_rank), std::int64_t{0}});
  if (most > static_cast<std::int64_t>(letters.size())) fail("einsum_str needs too many letters");
  letters.resize(static_cast<std::size_t>(most));
  expand(equation.input, input_rank, letters);
  expand(equation.kernel, kernel_rank, letters);
  if (auto dots = equation.output.find("..."); dots != equation.output.npos) {
    equation.output.replace(dots, 3, letters);
  }
  return equation;
}

}  // namespace

Tensor Einsum::call(const Tensor& inputs, const std::optional<std::string>& given) const {
  if (given.has_value() == einsum_str.has_value()) {
    fail(given ? "einsum_str is given to the layer and to the call, only one may be"
               : "einsum_str is given neither to the layer nor to the call");
  }
  Dims kernel_shape = shape->list();
  Equation equation = expanded(parse(given ? *given : *einsum_str), inputs.dim(),
                               static_cast<std::int64_t>(kernel_shape.size()));
  at::ScalarType made = scalar_type(param_dtype);
  Tensor kernel = param("kernel", kernel_shape, kernel_init, made);
  Tensor bias;
  Dims spread;  // the bias's shape with ones for the dimensions it does not have
  if (use_bias) {
    Dims own;
    for (char c : equation.output) {
      auto at = equation.kernel.find(c);
      spread.push_back(at == equation.kernel.npos ? 1 : kernel_shape[at]);
      if (at != equation.kernel.npos) own.push_back(kernel_shape[at]);
    }
    bias = param("bias", own, bias_init, made);
  }
  auto type = computation_type(dtype, {&inputs, &kernel, &bias});
  Tensor out = at::einsum(equation.input + "," + equation.kernel + "->" + equation.output,
                          {cast(inputs, type), cast(kernel, type)});
  return bias.defined() ? out + cast(bias, type).reshape(spread) : out;
}

}  // namespace kd::nn
