// A tree as a list of leaves with their paths, and back.
//
//   for (auto& [path, leaf] : flatten_with_path(params)) std::cout << path << "\n";
//   // encoder.bias  encoder.kernel  layers[0].kernel
//
// Keys of maps are sorted, struct fields keep their order; None and empty containers vanish. A
// config (ConfigDict) is followed into nested nodes; a node inside a list is a leaf.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kontext/path.h"
#include "kontext/tree.h"

namespace kontext {

struct FlattenOptions {
  std::optional<Part> prefix = {};                   // one part before all paths
  std::function<bool(const TreeRef&)> is_leaf = {};  // true: not descended into
};

using Leaf = std::pair<Path, TreeRef>;

// The leaves refer to the tree.
std::vector<Leaf> flatten_with_path(const TreeRef& tree, const FlattenOptions& options = {});

// The tree of these leaves, made of Dicts, and of Lists where the keys are 0, 1, ..., n-1. A leaf
// below another leaf and a place given twice are errors.
konfig::Value unflatten(const std::vector<std::pair<Path, konfig::Value>>& leaves);

}  // namespace kontext
