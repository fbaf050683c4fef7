// Trees and tensors as kontext sees them: paths reach into both.
#include <ATen/TensorIndexing.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include "kd/core/tree.h"

#include "kd/core/dtype_name.h"
#include "konfig/error.h"
#include "kontext/filter.h"

namespace kontext {

using at::Tensor;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

at::indexing::TensorIndex axis_index(const Value& axis) {
  if (axis.is_none()) return at::indexing::TensorIndex(at::indexing::None);
  if (axis.is<konfig::Ellipsis>()) return at::indexing::TensorIndex(at::indexing::Ellipsis);
  if (auto* i = axis.get_if<std::int64_t>()) return at::indexing::TensorIndex(*i);
  if (auto* slice = axis.get_if<konfig::Slice>()) {
    auto edge = [](auto& e) { return e ? std::optional<c10::SymInt>(*e) : std::nullopt; };
    return at::indexing::TensorIndex(
        at::indexing::Slice(edge(slice->start), edge(slice->stop), edge(slice->step)));
  }
  throw Error(ErrorKind::type, "a tensor is indexed by whole numbers, slices, ... and None");
}

// `[i]` beyond the end is "no such place", as in a list.
bool within(const Tensor& tensor, const Value& axis, std::int64_t dim) {
  auto* i = axis.get_if<std::int64_t>();
  return !i || (dim < tensor.dim() && *i >= -tensor.size(dim) && *i < tensor.size(dim));
}

bool fits(const Tensor& tensor, const Axes& axes) {
  std::int64_t used = 0;
  for (const Value& axis : axes) used += !axis.is_none() && !axis.is<konfig::Ellipsis>();
  if (used > tensor.dim()) return false;
  std::int64_t dim = 0;
  for (const Value& axis : axes) {
    if (axis.is<konfig::Ellipsis>()) {
      dim += tensor.dim() - used;
    } else if (!axis.is_none() && !within(tensor, axis, dim++)) {
      return false;
    }
  }
  return true;
}

}  // namespace

TreeRef TreeTraits<Tensor>::item(const Tensor& tensor, const Part& part) {
  if (part.text() || part.is_wildcard()) return {};
  Axes axes;
  if (auto* several = part.value().get_if<Axes>()) {
    axes = *several;
  } else {
    axes.push_back(part.value());
  }
  if (!fits(tensor, axes)) return {};
  std::vector<at::indexing::TensorIndex> indices;
  for (const Value& axis : axes) indices.push_back(axis_index(axis));
  return TreeRef::own(tensor.index(indices));
}

TreeRef TreeTraits<Tensor>::attribute(const Tensor& tensor, const std::string& name) {
  if (name == "shape") return TreeRef::own(tensor.sizes().vec());
  if (name == "ndim") return TreeRef::own(tensor.dim());
  if (name == "size") return TreeRef::own(tensor.numel());
  if (name == "dtype") return TreeRef::own(std::string(kd::dtype_name(tensor.scalar_type())));
  if (name == "T") {
    std::vector<std::int64_t> dims;
    for (auto d = tensor.dim(); d-- > 0;) dims.push_back(d);
    return TreeRef::own(tensor.permute(dims));
  }
  return {};
}

Value TreeTraits<Tensor>::value(const Tensor& tensor) {
  if (tensor.numel() != 1) {
    throw Error(ErrorKind::value,
                "a tensor of " + std::to_string(tensor.numel()) + " elements is not one number");
  }
  at::Scalar scalar = tensor.item();
  if (scalar.isBoolean()) return scalar.toBool();
  if (scalar.isIntegral(false)) return scalar.toLong();
  return scalar.toDouble();
}

void TreeTraits<Tensor>::assign(Tensor& to, const TreeRef& from) {
  Value value = from.value();
  if (auto* b = value.get_if<bool>()) {
    to = at::full({}, *b, at::kBool);
  } else if (auto* i = value.get_if<std::int64_t>()) {
    to = at::full({}, *i, at::kInt);
  } else if (auto* d = value.get_if<double>()) {
    to = at::full({}, *d, at::kFloat);
  } else {
    throw Error(ErrorKind::type,
                "expected a tensor or a number, found " + std::string(from.type_name()));
  }
}

namespace {

using kd::Tree;

const Tree& tree_of(const TreeRef& self) { return *static_cast<const Tree*>(self.ptr()); }

TreeRef named_item(const TreeRef& self, const Part& part) {
  auto* name = part.text();
  auto* child = name ? tree_of(self).find(*name) : nullptr;
  return child ? TreeRef::of(*child) : TreeRef();
}

TreeRef list_item(const TreeRef& self, const Part& part) {
  const Tree& tree = tree_of(self);
  if (auto i = part.index()) {
    auto at = position(*i, tree.size());
    return at ? TreeRef::of(tree.child(*at)) : TreeRef();
  }
  if (auto* slice = part.value().get_if<konfig::Slice>()) {
    Range range = range_of(*slice, tree.size());
    std::vector<Tree> items;
    for (std::size_t k = 0; k < range.count; ++k) {
      items.push_back(tree.child(range.start + static_cast<std::int64_t>(k) * range.step));
    }
    return TreeRef::own(Tree::list(std::move(items)));
  }
  return {};
}

bool each_child(const TreeRef& self, const Visit& visit) {
  const Tree& tree = tree_of(self);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    Part part = tree.has_names() ? Part(tree.name(i)) : Part(static_cast<std::int64_t>(i));
    if (visit(part, TreeRef::of(tree.child(i)))) return true;
  }
  return false;
}

void set_child(const TreeRef& self, const Part& part, const TreeRef& value) {
  Tree& tree = *const_cast<Tree*>(&tree_of(self));
  Tree replacement;
  TreeTraits<Tree>::assign(replacement, value);
  if (tree.has_names() && part.text()) {
    tree[*part.text()] = std::move(replacement);
  } else if (auto i = part.index(); i && tree.kind() == Tree::Kind::list) {
    auto at = position(*i, tree.size());
    if (!at)
      throw Error(ErrorKind::index, "the list has " + std::to_string(tree.size()) + " item(s)");
    tree.child(*at) = std::move(replacement);
  } else {
    throw Error(ErrorKind::key, "the " + std::string(tree.type()) + " has no " + part.str());
  }
}

constexpr TreeOps kNamedOps{.type = konfig::type_name<Tree>,
                            .spoken = "tree",
                            .shape = Shape::map,
                            .item = named_item,
                            .each = each_child,
                            .set = set_child};
constexpr TreeOps kListOps{.type = konfig::type_name<Tree>,
                           .spoken = "list",
                           .shape = Shape::list,
                           .item = list_item,
                           .each = each_child,
                           .set = set_child};

}  // namespace

TreeRef TreeTraits<Tree>::ref(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::none:
      return TreeRef::none();
    case Tree::Kind::tensor:
      return TreeRef::of(tree.tensor());
    case Tree::Kind::texts:
      return TreeRef::of(tree.texts());
    case Tree::Kind::dict:
    case Tree::Kind::record:
      return TreeRef(&tree, &kNamedOps);
    case Tree::Kind::list:
      return TreeRef(&tree, &kListOps);
  }
  return {};
}

// Any tree of tensors, numbers and texts becomes a Tree.
void TreeTraits<Tree>::assign(Tree& to, const TreeRef& from) {
  if (auto* same = from.get_if<Tree>()) {
    to = Tree(*same);
  } else if (auto* tensor = from.get_if<Tensor>()) {
    to = Tree(*tensor);
  } else if (auto* texts = from.get_if<Tree::Texts>()) {
    to = Tree(*texts);
  } else if (auto* text = from.get_if<std::string>()) {
    to = Tree(Tree::Texts{*text});
  } else if (!from || from.shape() == Shape::none) {
    to = Tree();
  } else if (from.shape() == Shape::leaf) {
    Tensor number;
    TreeTraits<Tensor>::assign(number, from);
    to = Tree(number);
  } else {
    bool named = from.shape() == Shape::map || from.shape() == Shape::record;
    Tree out = named ? Tree::dict() : Tree::list();
    from.each([&](const Part& part, const TreeRef& child) {
      Tree item;
      assign(item, child);
      named ? void(out[part.name()] = std::move(item)) : out.push_back(std::move(item));
      return false;
    });
    to = std::move(out);
  }
}

Tree TreeTraits<Tree>::filtered(const Tree& tree, const Selection& selection) {
  if (selection.all) return tree;
  if (tree.kind() == Tree::Kind::list) {
    Tree out = Tree::list();
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (auto* chosen = selection.find(Part(i))) out.push_back(filtered(tree.child(i), *chosen));
    }
    return out;
  }
  Tree::Items items;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (auto* chosen = selection.find(Part(tree.name(i)))) {
      items.emplace_back(tree.name(i), filtered(tree.child(i), *chosen));
    }
  }
  if (tree.kind() != Tree::Kind::record) return Tree::dict(std::move(items));
  return Tree::record(std::string(tree.type()), std::move(items));
}

}  // namespace kontext
