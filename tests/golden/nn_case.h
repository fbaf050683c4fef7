// One case of the area nn, and how its kind is run. A file adds kinds with add_nn_handler.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kd/core/tree.h"
#include "kd/nn/engine/apply.h"
#include "kd/nn/module/invoke.h"
#include "tests/golden/tensors.h"

namespace golden {

struct NnCase {
  std::string name, group, api;
  const konfig::Dict& whole;  // everything that the file says
  const konfig::Dict& args;
  Tensors inputs;
  Tensors outputs;  // the reference's
};

// What running a case gave.
struct NnResult {
  Tensors outputs = {};                    // ours, named as the reference's
  std::vector<std::string> problems = {};  // whatever else differs
};

// Runs all cases of an api, such as "flax.linen.avg_pool". Cases whose api is their module's name
// need none.
using NnHandler = std::function<NnResult(const NnCase&)>;
bool add_nn_handler(const std::string& api, NnHandler handler);
const NnHandler* find_nn_handler(const std::string& api);

// ---- For handlers.

// The module that a config describes.
konfig::Poly<kd::Module> module_of(const konfig::Value& config);
// The streams of `init_seed`, or those of "RngStreams(seed=42).init_rngs()", and `apply_rngs`.
kd::nn::Rngs init_rngs(const konfig::Dict& args);
kd::nn::Rngs apply_rngs(const konfig::Dict& args);

// The outputs below a name, as a tree: "params" gives {"Dense_0": {"kernel": ..}}.
kd::Tree tree_of(const Tensors& tensors, const std::string& below);
// The other way; lists become numbers: "out/0".
void add_leaves(Tensors& to, const std::string& name, const kontext::TreeRef& tree);

// A module of any kind: init, apply, intermediates, changed collections and gradients.
NnResult run_module_case(const NnCase& c);

}  // namespace golden
