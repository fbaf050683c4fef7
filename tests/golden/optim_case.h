// The cases of the golden area optim: each group runs ours and says what differs.
#pragma once

#include <string>
#include <vector>

#include "kd/core/tree.h"
#include "kd/optim/engine/transform.h"
#include "tests/golden/tensors.h"

namespace golden {

struct OptimCase {
  std::string name, group;
  konfig::Dict args, inputs, outputs;
  konfig::Value tolerance;
};

// What went wrong; nothing when all is well.
std::vector<std::string> run_optim_case(const OptimCase& c, const konfig::Dict& data,
                                        const Tensors& tensors);

// ---- Trees (optim_trees.cc).

// Tensors below a prefix as a tree: "heads[0].kernel". With a `step`, only that item of each.
kd::Tree tree_of(const Tensors& tensors, const std::string& prefix,
                 const std::vector<std::string>& paths, std::int64_t step = -1);
// The types of the nodes of a state that are no dicts, by path.
std::vector<std::pair<std::string, std::string>> node_types(const kd::Tree& tree);
std::vector<std::string> texts(const konfig::Value& list);

// ---- Configs (optim_config.cc).

// The object that a case's `args` describe.
konfig::Value resolve_args(const konfig::Dict& args);

}  // namespace golden
