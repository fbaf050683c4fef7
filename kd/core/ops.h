// What is done with whole trees of tensors.
//
//   Tree doubled = map(params, [](const Tensor& t) { return t * 2; });
//   Tree next = zip_map(params, updates, [](const Tensor& p, const Tensor& u) { return p + u; });
//   for (auto& [path, tensor] : flatten(params)) ...          // "Dense_0.kernel"
//   Tree kernels = select(params, "**.kernel");
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kd/core/tree.h"

namespace kd {

using Leaf = std::pair<std::string, Tensor>;
using LeafFn = std::function<Tensor(const Tensor&)>;

// The tensors in order: dicts by name, lists and records as they stand. None and texts are left
// out.
std::vector<Tensor> leaves(const Tree& tree);
// With their paths: "layers_0.kernel", "heads[0].bias".
std::vector<Leaf> flatten(const Tree& tree);
// The same structure with other tensors: as many as there are leaves.
Tree unflatten(const Tree& structure, const std::vector<Tensor>& leaves);

Tree map(const Tree& tree, const LeafFn& fn);
Tree map_with_path(const Tree& tree,
                   const std::function<Tensor(const std::string& path, const Tensor&)>& fn);
// Of trees of one structure; an Error names the first path where they differ, and calls the trees
// as given in `names`.
Tree zip_map(const Tree& a, const Tree& b,
             const std::function<Tensor(const Tensor&, const Tensor&)>& fn,
             std::pair<std::string_view, std::string_view> names = {"the first", "the second"});
void check_same_structure(const Tree& a, const Tree& b,
                          std::pair<std::string_view, std::string_view> names = {"the first",
                                                                                 "the second"});

// The part of a tree at the paths that a glob names: "encoder.**", "**.kernel". An Error when there
// is none.
Tree select(const Tree& tree, std::string_view glob);
// The leaves whose path the regular expression is found in.
Tree select_regex(const Tree& tree, const std::string& regex);

std::int64_t count(const Tree& tree);      // elements of all tensors
std::int64_t byte_size(const Tree& tree);  // bytes of all tensors

}  // namespace kd
