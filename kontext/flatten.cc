// A tree as a list of leaves, and back.
#include "kontext/flatten.h"

#include <algorithm>
#include <cstdlib>

#include "kontext/compare_impl.h"
#include "kontext/describe_impl.h"
#include "kontext/part_map.h"

namespace kontext {
namespace {

using konfig::ErrorKind;
using konfig::Value;

using Child = std::pair<Part, TreeRef>;

class Flattener {
 public:
  explicit Flattener(const FlattenOptions& options) : options_(options) {}

  std::vector<Leaf> run(const TreeRef& tree) {
    if (options_.prefix) path_.push_back(*options_.prefix);
    visit(tree, /*in_config=*/true);
    return std::move(leaves_);
  }

 private:
  void visit(const TreeRef& tree, bool in_config) {
    if (path_.size() > konfig::kMaxDepth) {
      throw error_at(ErrorKind::cycle, Path(path_).slice({.stop = 3}),
                     "the tree is deeper than " + std::to_string(konfig::kMaxDepth) + " levels");
    }
    bool config = tree.get_if<konfig::ConfigDict>() != nullptr;
    if (options_.is_leaf && options_.is_leaf(tree)) {
      add_leaf(tree);
    } else if (tree.is_container() && (!config || in_config)) {
      for (auto& [part, child] : children(tree)) {
        path_.push_back(part);
        visit(child, config);
        path_.pop_back();
      }
    } else if (tree.shape() != Shape::none) {
      add_leaf(tree);
    }
  }

  void add_leaf(const TreeRef& tree) { leaves_.emplace_back(Path(path_), tree); }

  std::vector<Child> children(const TreeRef& tree) const {
    std::vector<Child> out;
    tree.each([&](const Part& part, const TreeRef& child) {
      out.emplace_back(part, child);
      return false;
    });
    if (tree.shape() != Shape::map) return out;
    std::stable_sort(out.begin(), out.end(), [&](const Child& a, const Child& b) {
      if (auto order = compare(a.first.value(), b.first.value())) return *order < 0;
      throw error_at(
          ErrorKind::value, Path(path_),
          "keys of different types have no order: " + a.first.str() + ", " + b.first.str());
    });
    return out;
  }

  const FlattenOptions& options_;
  std::vector<Part> path_;
  std::vector<Leaf> leaves_;
};

// ---- Back.

struct Branch {
  std::optional<Value> leaf = {};
  PartMap<Branch> children = {};
};

Value build(Branch& branch) {
  if (branch.leaf) return *branch.leaf;
  std::vector<Value> items(branch.children.size());
  std::vector<bool> given(items.size());
  bool list = true;
  for (auto& [part, child] : branch.children) {
    auto index = part.value().is<bool>() ? std::nullopt : part.index();
    auto at = index && *index >= 0 ? position(*index, items.size()) : std::nullopt;
    list = list && at;
    if (list) given[*at] = true;
  }
  list = list && std::ranges::find(given, false) == given.end();
  konfig::Dict dict;
  for (auto& [part, child] : branch.children) {
    if (list) {
      items[static_cast<std::size_t>(*part.index())] = build(child);
    } else {
      dict.set(part.value(), build(child));
    }
  }
  if (list && !items.empty()) return konfig::List(std::move(items));
  return dict;
}

}  // namespace

std::optional<int> compare(const Value& a, const Value& b) {
  auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  auto number = [](const Value& v) -> std::optional<double> {
    if (auto* i = v.get_if<std::int64_t>()) return static_cast<double>(*i);
    if (auto* d = v.get_if<double>()) return *d;
    if (auto* flag = v.get_if<bool>()) return *flag ? 1 : 0;
    if (auto* big = v.get_if<konfig::BigInt>()) return std::strtod(big->digits.c_str(), nullptr);
    return std::nullopt;
  };
  auto *i = a.get_if<std::int64_t>(), *j = b.get_if<std::int64_t>();
  if (i && j) return order(*i, *j);
  if (auto x = number(a), y = number(b); x && y) return order(*x, *y);
  auto *s = a.get_if<std::string>(), *t = b.get_if<std::string>();
  if (s && t) return order(*s, *t);
  if (a.is_none() && b.is_none()) return 0;
  auto *p = a.get_if<konfig::Tuple>(), *q = b.get_if<konfig::Tuple>();
  if (!p || !q) return std::nullopt;
  for (std::size_t k = 0; k < std::min(p->size(), q->size()); ++k) {
    auto item = compare((*p)[k], (*q)[k]);
    if (!item || *item != 0) return item;
  }
  return order(p->size(), q->size());
}

std::vector<Leaf> flatten_with_path(const TreeRef& tree, const FlattenOptions& options) {
  return Flattener(options).run(tree);
}

Value unflatten(const std::vector<std::pair<Path, Value>>& leaves) {
  Branch root;
  for (auto& [path, value] : leaves) {
    Branch* at = &root;
    for (const Part& part : path) {
      if (at->leaf) throw error_at(ErrorKind::value, path, "this place is below another leaf");
      at = &at->children[part];
    }
    if (at->leaf || !at->children.empty()) {
      throw error_at(ErrorKind::value, path, "given twice, or above another leaf");
    }
    at->leaf = value;
  }
  return build(root);
}

}  // namespace kontext
