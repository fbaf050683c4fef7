// Kinds of cases of Kauldron's modules beyond single modules: functions, intermediates, errors,
// overviews of parameters, first values of whole models.
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <sstream>

#include "kd/core/ops.h"
#include "kd/nn/engine/overview.h"
#include "kd/nn/layers/embeddings.h"
#include "konfig/error.h"
#include "tests/golden/nn_case.h"

namespace golden {
namespace {

using kd::Tensor;
using kd::Tree;
using konfig::Dict;
using konfig::List;
using konfig::Value;

NnResult run_fourier_features(const NnCase& c) {
  auto degree = static_cast<int>(c.args.at("basis_degree").as<std::int64_t>());
  return {.outputs = {{"out", kd::nn::convert_to_fourier_features(c.inputs.at("inputs"), degree)}}};
}

// ---- Overviews.

void expect_text(NnResult& result, const char* what, const std::string& ours, const Value* wanted) {
  if (!wanted || *wanted == Value(ours)) return;
  result.problems.push_back(std::string(what) + " is\n" + ours + "\ninstead of\n" +
                            wanted->as<std::string>());
}

std::string listed(const std::string& path, at::IntArrayRef shape) {
  std::ostringstream out;
  out << path << " " << shape;
  return out.str();
}

NnResult run_overview(const NnCase& c) {
  NnResult result;
  Dict rng_args = c.args;
  if (!c.args.find("seed")) {
    rng_args.set("init_seed", std::int64_t{0});
  } else {
    rng_args.set("init_rngs", "");
  }
  Tensor input = at::zeros(integers(c.args.at("input_shape")));
  auto module = module_of(c.args.at("module"));
  Tree params = kd::nn::initialize(module, {.rngs = init_rngs(rng_args)}, input)["params"];

  if (auto wanted = c.args.at("num_params").as<std::int64_t>(); kd::count(params) != wanted) {
    result.problems.push_back("there are " + std::to_string(kd::count(params)) +
                              " parameters instead of " + std::to_string(wanted));
  }
  std::vector<std::string> ours, wanted;
  for (auto& [path, tensor] : kd::flatten(params)) {
    ours.push_back(listed(path, tensor.sizes()));
    std::replace(ours.back().begin(), ours.back().end(), '.', '/');
  }
  for (const Value& row : c.args.at("params").as<List>()) {
    auto& pair = row.as<List>();
    wanted.push_back(listed(pair[0].as<std::string>(), integers(pair[1])));
  }
  for (std::size_t i = 0; i < std::max(ours.size(), wanted.size()); ++i) {
    std::string mine = i < ours.size() ? ours[i] : "nothing";
    std::string other = i < wanted.size() ? wanted[i] : "nothing";
    if (mine != other) result.problems.push_back(mine + " instead of " + other);
  }
  expect_text(result, "markdown_table", kd::nn::parameter_markdown(params),
              c.args.find("markdown_table"));
  expect_text(result, "overview_text", kd::nn::parameter_overview(params),
              c.args.find("overview_text"));
  return result;
}

// ---- First values of whole models, as summaries.

// "(arange(n) mod 97)/97, shape [2, 28, 28, 1]"
Tensor described_input(const std::string& text) {
  std::vector<std::int64_t> shape;
  std::istringstream numbers(text.substr(text.find('[') + 1));
  std::int64_t size = 0, n = 1;
  for (char comma = ','; comma == ',' && numbers >> size; numbers >> comma) {
    shape.push_back(size);
    n *= size;
  }
  return (at::arange(n, at::kFloat).reshape(shape).remainder(97)) / 97;
}

NnResult run_whole_init(const NnCase& c) {
  NnResult result;
  auto module = module_of(c.args.at("module"));
  Tensor input = described_input(c.args.at("input").as<std::string>());
  Tree variables =
      kd::nn::initialize(module, {.rngs = init_rngs(c.args), .is_training_property = true}, input);
  for (auto& [path, tensor] : kd::flatten(variables["params"])) {
    std::string name = path;
    std::replace(name.begin(), name.end(), '.', '/');
    Tensor flat = tensor.reshape({-1}), exact = flat.to(at::kDouble);
    result.outputs[name + "/head"] = flat.slice(0, 0, 8);
    result.outputs[name + "/tail"] = flat.slice(0, std::max<std::int64_t>(flat.numel() - 4, 0));
    result.outputs[name + "/sum_abs_sq"] =
        at::tensor({exact.sum().item<double>(), exact.abs().sum().item<double>(),
                    (exact * exact).sum().item<double>()},
                   at::kDouble);
  }
  auto applied = kd::nn::apply(module, variables, {.is_training_property = false}, input);
  Tensors outs;
  add_leaves(outs, "out", applied.out.tree());
  for (auto& [name, tensor] : outs) {
    bool small = tensor.numel() <= 32;
    result.outputs[name] = small ? tensor : tensor.reshape({2, -1}).slice(1, 0, tensor.numel(), 49);
  }
  return result;
}

[[maybe_unused]] const bool kAdded =
    add_nn_handler("kauldron.kd:nn.convert_to_fourier_features", run_fourier_features) &&
    add_nn_handler("clu.parameter_overview", run_overview) &&
    add_nn_handler("kauldron.train.TrainStep.init", run_whole_init);

}  // namespace
}  // namespace golden
