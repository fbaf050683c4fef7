// Which parts of a config are reached more than once. Printing, JSON and YAML mark them. Library
// only.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "konfig/expr_impl.h"
#include "konfig/node.h"

namespace konfig::detail {

class SharedParts {
 public:
  // `everything`: also lists, tuples and cells count, not only nodes.
  SharedParts(const Value& root, bool everything) : everything_(everything) { visit(root); }

  // The number of a shared part, in the order in which second visits happen.
  std::optional<int> number(const void* identity) const {
    auto it = numbers_.find(identity);
    return it == numbers_.end() ? std::nullopt : std::optional(it->second);
  }

  // What stands for the value: its cell, node or sequence; nullptr for anything else.
  static const void* identity(const Value& v) {
    if (auto* cfg = v.get_if<ConfigDict>()) return Node::of(*cfg).get();
    if (auto* list = v.get_if<List>()) return list->identity();
    if (auto* tuple = v.get_if<Tuple>()) return tuple->identity();
    if (auto* ref = v.get_if<Reference>(); ref && ref->expr()->kind == Expr::Kind::cell) {
      return ref->expr()->cell.get();
    }
    return nullptr;
  }

 private:
  static bool is_scalar(const Value& v) {
    return v.is_none() || v.is<bool>() || v.is<std::int64_t>() || v.is<double>() ||
           v.is<std::string>();
  }

  void step_into(const std::string& key, const Value& v) {
    try {
      visit(v);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cycle) throw;  // would repeat the loop in the path
      throw error.within(key);
    }
  }

  void visit(const Value& v) {
    DepthGuard guard(depth_);
    bool counts = everything_ || v.is<ConfigDict>();
    bool transparent = v.is<Reference>() && !everything_;
    if (auto* id = identity(v); id && !transparent && !seen_.insert(id).second) {
      if (counts) numbers_.try_emplace(id, static_cast<int>(numbers_.size()));
      return;
    }
    if (auto* cfg = v.get_if<ConfigDict>()) {
      for (auto& e : Node::of(*cfg)->entries) {
        // Cells are seen as such; other references as what they lead to.
        if (is_scalar(e.value)) continue;
        if (!e.value.is<Reference>()) {
          step_into(e.key, e.value);
        } else {
          auto target = Node::of(*cfg)->read(e);
          step_into(e.key, identity(e.value) ? e.value : target);
        }
      }
    } else if (auto* ref = v.get_if<Reference>()) {
      visit(ref->get());
    } else if (auto* list = v.get_if<List>()) {
      for (auto& x : *list) visit(x);
    } else if (auto* tuple = v.get_if<Tuple>()) {
      for (auto& x : *tuple) visit(x);
    } else if (auto* dict = v.get_if<Dict>()) {
      for (auto& [k, x] : *dict) visit(x);
    }
  }

  bool everything_;
  int depth_ = 0;
  std::unordered_set<const void*> seen_;
  std::unordered_map<const void*, int> numbers_;
};

}  // namespace konfig::detail
