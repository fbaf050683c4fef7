// Functions over whole trees.
#include "kd/core/ops.h"

#include <regex>

#include "konfig/error.h"
#include "kontext/filter.h"

namespace kd {

using konfig::Error;
using konfig::ErrorKind;

namespace {

std::string step(const std::string& path, const Tree& tree, std::size_t i) {
  if (!tree.has_names()) return path + "[" + std::to_string(i) + "]";
  std::string part = kontext::Part(tree.name(i)).str();
  return path.empty() || part.front() == '[' ? path + part : path + "." + part;
}

// A tree of the same kind without children.
Tree shell(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::dict:
      return Tree::dict();
    case Tree::Kind::record:
      return Tree::record(std::string(tree.type()));
    case Tree::Kind::list:
      return Tree::list();
    default:
      return tree;
  }
}

template <class F>
void visit(const Tree& tree, const std::string& path, const F& fn) {
  if (tree.is_tensor()) return fn(path, tree.tensor());
  for (std::size_t i = 0; i < tree.size(); ++i) visit(tree.child(i), step(path, tree, i), fn);
}

void collect(const Tree& tree, std::vector<Tensor>& out) {
  if (tree.is_tensor()) return out.push_back(tree.tensor());
  for (const Tree& child : tree.children()) collect(child, out);
}

template <class F>
void change(Tree& tree, const F& fn) {
  if (tree.is_tensor()) {
    tree.tensor() = fn(std::as_const(tree).tensor());
  } else {
    for (std::size_t i = 0; i < tree.size(); ++i) change(tree.child(i), fn);
  }
}

template <class F>
void change_with_path(Tree& tree, const std::string& path, const F& fn) {
  if (tree.is_tensor()) {
    tree.tensor() = fn(path, std::as_const(tree).tensor());
  } else {
    for (std::size_t i = 0; i < tree.size(); ++i) {
      change_with_path(tree.child(i), step(path, tree, i), fn);
    }
  }
}

using Names = std::pair<std::string_view, std::string_view>;

std::string quoted(const std::string& path) { return path.empty() ? "the root" : path; }

void check(const Tree& a, const Tree& b, const std::string& path, const Names& names) {
  auto fail = [&](const std::string& at, const std::string& what_a, const std::string& what_b) {
    throw Error(ErrorKind::value, quoted(at) + ": " + std::string(names.first) + " tree has " +
                                      what_a + ", " + std::string(names.second) + " has " + what_b);
  };
  if (a.kind() != b.kind()) fail(path, std::string(a.type()), std::string(b.type()));
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= b.size() || (i < a.size() && a.name(i) < b.name(i) && a.has_names())) {
      fail(step(path, a, i), "a value", "none");
    }
    if (i >= a.size() || a.name(i) != b.name(i)) fail(step(path, b, i), "none", "a value");
    check(a.child(i), b.child(i), step(path, a, i), names);
  }
}

// Removes the leaves that `keep` refuses, and what becomes empty by that.
template <class F>
bool thin(Tree& tree, const std::string& path, const F& keep) {
  if (tree.is_tensor()) return keep(path);
  if (tree.is_leaf()) return false;
  Tree out = shell(tree);
  Tree::Items kept;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (!thin(tree.child(i), step(path, tree, i), keep)) continue;
    if (tree.has_names()) {
      kept.emplace_back(tree.name(i), tree.child(i));
    } else {
      out.push_back(tree.child(i));
    }
  }
  if (tree.kind() == Tree::Kind::dict)
    out = Tree::dict(std::move(kept));
  else if (tree.has_names())
    out = Tree::record(std::string(tree.type()), std::move(kept));
  tree = std::move(out);
  return !tree.empty();
}

}  // namespace

std::vector<Tensor> leaves(const Tree& tree) {
  std::vector<Tensor> out;
  collect(tree, out);
  return out;
}

std::vector<Leaf> flatten(const Tree& tree) {
  std::vector<Leaf> out;
  visit(tree, "",
        [&](const std::string& path, const Tensor& tensor) { out.emplace_back(path, tensor); });
  return out;
}

Tree unflatten(const Tree& structure, const std::vector<Tensor>& leaves) {
  std::size_t i = 0;
  Tree out = map(structure, [&](const Tensor&) {
    if (i >= leaves.size()) {
      throw Error(ErrorKind::value,
                  "the structure has more than " + std::to_string(leaves.size()) + " leaves");
    }
    return leaves[i++];
  });
  if (i != leaves.size()) {
    throw Error(ErrorKind::value, "the structure has " + std::to_string(i) + " leaves, not " +
                                      std::to_string(leaves.size()));
  }
  return out;
}

Tree map(const Tree& tree, const LeafFn& fn) {
  Tree out = tree;
  change(out, fn);
  return out;
}

Tree map_with_path(const Tree& tree,
                   const std::function<Tensor(const std::string&, const Tensor&)>& fn) {
  Tree out = tree;
  change_with_path(out, "", fn);
  return out;
}

Tree zip_map(const Tree& a, const Tree& b,
             const std::function<Tensor(const Tensor&, const Tensor&)>& fn, Names names) {
  check_same_structure(a, b, names);
  std::vector<Tensor> others = leaves(b);
  std::size_t i = 0;
  return map(a, [&](const Tensor& t) { return fn(t, others[i++]); });
}

void check_same_structure(const Tree& a, const Tree& b, Names names) { check(a, b, "", names); }

Tree select(const Tree& tree, std::string_view glob) {
  Tree out = kontext::filter_by_path(tree, glob);
  if (leaves(out).empty()) {
    throw Error(ErrorKind::key, "no tensor's path matches '" + std::string(glob) + "'");
  }
  return out;
}

Tree select_regex(const Tree& tree, const std::string& regex) {
  std::regex pattern;
  try {
    pattern = std::regex(regex);
  } catch (const std::regex_error& error) {
    throw Error(ErrorKind::value, "'" + regex + "' is no regular expression: " + error.what());
  }
  Tree out = tree;
  if (!thin(out, "", [&](const std::string& path) { return std::regex_search(path, pattern); })) {
    throw Error(ErrorKind::key, "no tensor's path matches '" + regex + "'");
  }
  return out;
}

std::int64_t count(const Tree& tree) {
  std::int64_t n = 0;
  for (const Tensor& leaf : leaves(tree)) n += leaf.numel();
  return n;
}

std::int64_t byte_size(const Tree& tree) {
  std::int64_t n = 0;
  for (const Tensor& leaf : leaves(tree)) n += static_cast<std::int64_t>(leaf.nbytes());
  return n;
}

}  // namespace kd
