// What batches look like.
#include <ATen/ops/empty.h>
#include <c10/core/Device.h>

#include <utility>

#include "base/join.h"
#include "kd/data/engine/batch.h"

#include "kd/core/dtype_name.h"

namespace kd::data {

namespace {

template <class Fn>
Tree map_leaves(const Tree& tree, const Fn& fn) {
  if (tree.is_leaf()) return fn(tree);
  Tree out = tree;
  for (std::size_t i = 0; i < out.size(); ++i) out.child(i) = map_leaves(tree.child(i), fn);
  return out;
}

Tensor without_values(const std::vector<std::int64_t>& shape, c10::ScalarType dtype) {
  return at::empty(shape, at::TensorOptions(dtype).device(at::kMeta));
}

void write_lines(const Tree& spec, const std::string& name, std::string& out) {
  if (spec.is_tensor()) {
    out += name + ": " + spec_text(spec.tensor()) + "\n";
  } else if (spec.kind() == Tree::Kind::texts) {
    out += name + ": text[" + std::to_string(spec.texts().size()) + "]\n";
  }
  for (std::size_t i = 0; i < spec.size(); ++i) {
    const std::string step = spec.has_names() ? spec.name(i) : "[" + std::to_string(i) + "]";
    write_lines(spec.child(i), konfig::join_path(name, step), out);
  }
}

}  // namespace

Tree spec_of(const Tree& tree) {
  return map_leaves(tree, [](const Tree& leaf) -> Tree {
    if (leaf.is_tensor())
      return without_values(leaf.tensor().sizes().vec(), leaf.tensor().scalar_type());
    if (leaf.kind() == Tree::Kind::texts) return Tree(Tree::Texts(leaf.texts().size()));
    return leaf;
  });
}

Tree batched_spec(const Tree& record, std::int64_t n) {
  return map_leaves(record, [n](const Tree& leaf) -> Tree {
    if (leaf.is_tensor()) {
      std::vector<std::int64_t> shape = leaf.tensor().sizes().vec();
      shape.insert(shape.begin(), n);
      return without_values(shape, leaf.tensor().scalar_type());
    }
    if (leaf.kind() != Tree::Kind::texts) return leaf;
    if (leaf.texts().size() == 1) return Tree(Tree::Texts(static_cast<std::size_t>(n)));
    return Tree::list(std::vector<Tree>(static_cast<std::size_t>(n), leaf));
  });
}

std::string spec_text(const Tree& spec) {
  std::string out;
  write_lines(spec, "", out);
  return out;
}

}  // namespace kd::data
