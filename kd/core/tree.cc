// Tree: building and reading.
#include "kd/core/tree.h"

#include <algorithm>

#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd {

using konfig::Error;
using konfig::ErrorKind;

Tree Tree::dict(Items items) {
  Tree tree;
  tree.kind_ = Kind::dict;
  std::stable_sort(items.begin(), items.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (auto& [name, child] : items) {
    if (!tree.names_.empty() && tree.names_.back() == name) {
      throw Error(ErrorKind::key, "a dict has two children '" + name + "'");
    }
    tree.names_.push_back(std::move(name));
    tree.children_.push_back(std::move(child));
  }
  return tree;
}

Tree Tree::record(std::string type, Items items) {
  Tree tree;
  tree.kind_ = Kind::record;
  tree.type_ = std::move(type);
  for (auto& [name, child] : items) {
    tree.names_.push_back(std::move(name));
    tree.children_.push_back(std::move(child));
  }
  return tree;
}

Tree Tree::list(std::vector<Tree> items) {
  Tree tree;
  tree.kind_ = Kind::list;
  tree.children_ = std::move(items);
  return tree;
}

std::string_view Tree::type() const {
  switch (kind_) {
    case Kind::none:
      return "None";
    case Kind::tensor:
      return "tensor";
    case Kind::texts:
      return "texts";
    case Kind::dict:
      return "dict";
    case Kind::record:
      return type_;
    case Kind::list:
      return "list";
  }
  return "";
}

const Tensor& Tree::tensor() const {
  if (kind_ != Kind::tensor) {
    throw Error(ErrorKind::type, "expected a tensor, found " + std::string(type()));
  }
  return tensor_;
}

Tensor& Tree::tensor() { return const_cast<Tensor&>(std::as_const(*this).tensor()); }

const Tree::Texts& Tree::texts() const {
  if (kind_ != Kind::texts) {
    throw Error(ErrorKind::type, "expected texts, found " + std::string(type()));
  }
  return names_;
}

const std::string& Tree::name(std::size_t i) const {
  static const std::string kNone;
  return has_names() ? names_[i] : kNone;
}

const Tree* Tree::find(std::string_view name) const {
  if (kind_ == Kind::dict) {
    auto it = std::lower_bound(names_.begin(), names_.end(), name);
    return it != names_.end() && *it == name ? &children_[it - names_.begin()] : nullptr;
  }
  if (kind_ == Kind::record) {
    auto it = std::find(names_.begin(), names_.end(), name);
    return it != names_.end() ? &children_[it - names_.begin()] : nullptr;
  }
  return nullptr;
}

const Tree& Tree::at(std::string_view name) const {
  if (auto* child = find(name)) return *child;
  std::string message = "the " + std::string(type()) + " has no '" + std::string(name) + "'";
  if (has_names()) message += konfig::did_you_mean(name, names_);
  throw Error(ErrorKind::key, message);
}

Tree& Tree::operator[](std::string_view name) {
  if (kind_ == Kind::none) kind_ = Kind::dict;
  if (kind_ != Kind::dict) return at(name);
  auto it = std::lower_bound(names_.begin(), names_.end(), name);
  auto i = it - names_.begin();
  if (it == names_.end() || *it != name) {
    names_.insert(it, std::string(name));
    children_.insert(children_.begin() + i, Tree());
  }
  return children_[i];
}

void Tree::push_back(Tree item) {
  if (kind_ == Kind::none) kind_ = Kind::list;
  if (kind_ != Kind::list) {
    throw Error(ErrorKind::type, "items are added to a list, found " + std::string(type()));
  }
  children_.push_back(std::move(item));
}

bool Tree::erase(std::string_view name) {
  auto* child = find(name);
  if (!child) return false;
  auto i = child - children_.data();
  names_.erase(names_.begin() + i);
  children_.erase(children_.begin() + i);
  return true;
}

}  // namespace kd
