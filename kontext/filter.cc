// Choosing a part of a tree: first what to keep, then the copy.
#include "kontext/filter.h"

#include "kontext/describe_impl.h"
#include "kontext/glob_impl.h"

namespace kontext {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

// Structs have all their fields, tuples all their items: only maps and lists can be thinned out.
bool can_thin(const TreeRef& tree) {
  return tree.shape() == Shape::map || tree.shape() == Shape::list;
}

[[noreturn]] void fail_leaf(const TreeRef& tree, const Path& at, const Part& part) {
  throw error_at(ErrorKind::value, GlobPath(at) / part,
                 with_article(tree.type_name()) +
                     " is kept whole or not at all; maps and lists can be kept in part");
}

class Selector {
 public:
  explicit Selector(const GlobPath& path) : pattern_(simplified(path)) {}
  Selection run(const TreeRef& tree) {
    for (const Part& part : pattern_) {
      if (part.value().is<Slice>()) {
        throw error_at(ErrorKind::type, pattern_, "a slice names no single place");
      }
    }
    return select(tree, 0, {});
  }

 private:
  Selection select(const TreeRef& tree, std::size_t i, const Path& at) {
    if (i == pattern_.size()) return {.all = true};
    if (at.size() > konfig::kMaxDepth) {
      throw error_at(ErrorKind::cycle, at.slice({.stop = 3}), "the tree is too deep");
    }
    switch (pattern_.parts()[i].wildcard()) {
      case Wildcard::none:
        return named(tree, i, at);
      case Wildcard::one:
        return every_child(tree, i, at);
      case Wildcard::any:
        break;
    }
    return any_level(tree, i, at);
  }

  Selection named(const TreeRef& tree, std::size_t i, const Path& at) {
    const Part& part = pattern_.parts()[i];
    if (!can_thin(tree)) fail_leaf(tree, at, part);
    Part place = part;
    if (auto index = part.index(); index && tree.shape() == Shape::list) {
      // [-1] and [2] are one place.
      if (auto p = position(*index, tree.size())) place = Part(*p);
    }
    TreeRef child = tree.child(part);
    if (!child) {
      ErrorKind kind = ErrorKind::key;
      if (tree.shape() == Shape::list) kind = part.index() ? ErrorKind::index : ErrorKind::type;
      throw error_at(kind, at / part, missing_text(tree, part));
    }
    Selection out, below = select(child, i + 1, at / part);
    if (!below.empty()) out.children[place] = std::move(below);
    return out;
  }

  Selection every_child(const TreeRef& tree, std::size_t i, const Path& at) {
    if (!can_thin(tree)) fail_leaf(tree, at, pattern_.parts()[i]);
    bool after_any = i > 0 && pattern_.parts()[i - 1].wildcard() == Wildcard::any;
    if (!after_any && tree.size() == 0) return {.all = true};  // every one of its children matches
    return each_child(tree, [&](const Part& part, const TreeRef& child) {
      if (after_any && !matches(child, i + 1)) return Selection();
      return select(child, i + 1, at / part);
    });
  }

  Selection any_level(const TreeRef& tree, std::size_t i, const Path& at) {
    if (i + 1 == pattern_.size()) return {.all = true};
    if (!can_thin(tree)) return {};
    Selection out;
    if (matches(tree, i + 1)) out = select(tree, i + 1, at);
    out.merge(each_child(
        tree, [&](const Part& part, const TreeRef& child) { return select(child, i, at / part); }));
    return out;
  }

  template <class F>
  Selection each_child(const TreeRef& tree, F select_child) {
    Selection out;
    tree.each([&](const Part& part, const TreeRef& child) {
      if (Selection chosen = select_child(part, child); !chosen.empty()) {
        out.children[part] = std::move(chosen);
      }
      return false;
    });
    return out;
  }

  // The rest of the pattern from `i` has something to name here.
  bool matches(const TreeRef& tree, std::size_t i) const {
    if (i == pattern_.size()) return true;
    if (!can_thin(tree)) return false;
    const Part& part = pattern_.parts()[i];
    if (part.is_wildcard()) return true;
    return static_cast<bool>(tree.child(part));
  }

  GlobPath pattern_;
};

}  // namespace

void Selection::merge(Selection other) {
  all = all || other.all;
  for (auto& [part, chosen] : other.children) children[part].merge(std::move(chosen));
}

Selection select_by_path(const TreeRef& tree, const GlobPath& path) {
  return Selector(path).run(tree);
}

template <>
Dict filtered(const Dict& tree, const Selection& selection) {
  if (selection.all) return tree;
  Dict out;
  for (auto& [key, value] : tree) {
    if (auto* chosen = selection.find(Part(key))) out.set(key, filtered(value, *chosen));
  }
  out.frozen = tree.frozen;
  return out;
}

template <>
List filtered(const List& tree, const Selection& selection) {
  if (selection.all) return tree;
  List out;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (auto* chosen = selection.find(Part(i))) out.push_back(filtered(tree[i], *chosen));
  }
  return out;
}

template <>
ConfigDict filtered(const ConfigDict& tree, const Selection& selection) {
  if (selection.all) return tree;
  ConfigDict out;
  for (auto& [key, value] : tree.items()) {
    if (auto* chosen = selection.find(Part(key))) out.set(key, filtered(value, *chosen));
  }
  return out;
}

template <>
Value filtered(const Value& tree, const Selection& selection) {
  if (selection.all) return tree;
  if (auto* dict = tree.get_if<Dict>()) return filtered(*dict, selection);
  if (auto* list = tree.get_if<List>()) return filtered(*list, selection);
  if (auto* config = tree.get_if<ConfigDict>()) return filtered(*config, selection);
  return Value();  // a leaf that no `**` matched
}

}  // namespace kontext
