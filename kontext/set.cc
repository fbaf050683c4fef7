// Writing by pattern: first all places are found and checked, then they are written.
#include "kontext/set.h"

#include <unordered_set>

#include "kontext/describe_impl.h"
#include "kontext/get.h"
#include "kontext/glob_impl.h"

namespace kontext {
namespace {

using konfig::Error;
using konfig::ErrorKind;

[[noreturn]] void fail_leaf(const TreeRef& tree, const Path& at, const Part& part) {
  throw error_at(
      ErrorKind::value, GlobPath(at) / part,
      with_article(tree.type_name()) + " cannot be changed in part; maps, lists and structs can");
}

bool can_change(const TreeRef& tree) { return tree.is_container() && tree.shape() != Shape::tuple; }

// `part` can be assigned in `tree`, which may then have a new key.
void check_target(const TreeRef& tree, const Path& at, const Part& part) {
  if (!can_change(tree)) fail_leaf(tree, at, part);
  if (!tree.writable()) {
    throw error_at(ErrorKind::unsupported, at / part,
                   "the " + std::string(tree.type_name()) + " is read-only");
  }
  auto fail = [&](ErrorKind kind, const std::string& message) {
    throw error_at(kind, at / part, message);
  };
  if (tree.shape() == Shape::list) {
    if (part.value().is<Slice>()) fail(ErrorKind::unsupported, "a slice cannot be assigned");
    if (!part.index()) fail(ErrorKind::type, missing_text(tree, part));
    if (!tree.item(part)) fail(ErrorKind::index, missing_text(tree, part));
  } else if (tree.shape() == Shape::record && !tree.child(part)) {
    fail(ErrorKind::key, missing_text(tree, part));
  } else if (part.value().is<Slice>()) {
    fail(ErrorKind::type, "a slice cannot be a key");
  }
}

TreeRef must_find(const TreeRef& tree, const Path& at, const Part& part) {
  if (!can_change(tree)) fail_leaf(tree, at, part);
  if (part.value().is<Slice>()) {
    throw error_at(ErrorKind::type, at / part, "a slice is a copy: nothing is set in it");
  }
  if (TreeRef child = tree.child(part)) return child;
  ErrorKind kind = ErrorKind::key;
  if (tree.shape() == Shape::list) kind = part.index() ? ErrorKind::index : ErrorKind::type;
  throw error_at(kind, at / part, missing_text(tree, part));
}

// A place while it is looked for.
struct Place {
  Path path;   // as written: a[-1]
  Path exact;  // with positions from the start: a[2]

  Place child(const TreeRef& tree, const Part& part) const {
    auto index = tree.shape() == Shape::list ? part.index() : std::nullopt;
    auto at = index ? position(*index, tree.size()) : std::nullopt;
    return {path / part, exact / (at ? Part(*at) : part)};
  }
};

class Finder {
 public:
  explicit Finder(std::vector<Part> pattern) : pattern_(std::move(pattern)) {}

  std::vector<Path> run(const TreeRef& tree) {
    visit(tree, 0, {});
    return std::move(targets_);
  }

 private:
  // Finds the places of pattern_[i...] below `tree`, which is at `at`.
  void visit(const TreeRef& tree, std::size_t i, const Place& at) {
    if (at.path.size() > konfig::kMaxDepth) {
      throw error_at(ErrorKind::cycle, at.path.slice({.stop = 3}),
                     "the tree is deeper than " + std::to_string(konfig::kMaxDepth) + " levels");
    }
    const Part& part = pattern_[i];
    if (part.wildcard() == Wildcard::any) {
      any_level(tree, i, at);
    } else if (part.wildcard() == Wildcard::one) {
      every_child(tree, i, at);
    } else if (i + 1 == pattern_.size()) {
      check_target(tree, at.path, part);
      Place target = at.child(tree, part);
      targets_.push_back(target.path);
      replaced_.insert(target.exact);
    } else {
      visit(must_find(tree, at.path, part), i + 1, at.child(tree, part));
    }
  }

  void every_child(const TreeRef& tree, std::size_t i, const Place& at) {
    if (!can_change(tree)) fail_leaf(tree, at.path, pattern_[i]);
    bool after_any = i > 0 && pattern_[i - 1].wildcard() == Wildcard::any;
    tree.each([&](const Part& part, const TreeRef& child) {
      if (!after_any || matches(child, i + 1)) visit(child, i + 1, at.child(tree, part));
      return false;
    });
  }

  void any_level(const TreeRef& tree, std::size_t i, const Place& at) {
    if (!can_change(tree)) return;
    if (matches(tree, i + 1)) visit(tree, i + 1, at);
    tree.each([&](const Part& part, const TreeRef& child) {
      Place below = at.child(tree, part);
      // What is about to be replaced is not searched.
      if (!replaced_.contains(below.exact)) visit(child, i, below);
      return false;
    });
  }

  // The next part exists here, so that `**` stops at this level too.
  bool matches(const TreeRef& tree, std::size_t i) const {
    if (!can_change(tree)) return false;
    if (pattern_[i].is_wildcard()) return true;
    if (pattern_[i].value().is<Slice>()) {
      throw error_at(ErrorKind::type, GlobPath(pattern_), "a slice cannot follow **");
    }
    return static_cast<bool>(tree.child(pattern_[i]));
  }

  std::vector<Part> pattern_;
  std::vector<Path> targets_;
  std::unordered_set<Path> replaced_;  // the same, exact
};

}  // namespace

std::vector<Path> set_by_path(const TreeRef& tree, const GlobPath& path, const TreeRef& value) {
  if (path.empty()) {
    throw Error(ErrorKind::value,
                "[set_by_path] the path is empty; assign the whole value instead");
  }
  if (path[-1].is_wildcard()) {
    throw error_at(ErrorKind::value, path, "a wildcard cannot be the last part: name what to set");
  }
  auto targets = Finder(simplified(path).parts()).run(tree);
  for (const Path& target : targets) {
    // Looked up again: an earlier write may have moved what is below it.
    try {
      get_by_path(tree, target.parent()).set(target[-1], value);
    } catch (const Error& e) {
      // A refused part of the value has a place below the target; a config names the target itself.
      bool itself = e.path().empty() || e.path() == target[-1].name();
      throw error_at(e.kind(), itself ? target.str() : konfig::join_path(target.str(), e.path()),
                     e.message());
    }
  }
  return targets;
}

std::vector<Path> set_by_path(const TreeRef& tree, const Path& path, const TreeRef& value) {
  return set_by_path(tree, GlobPath(path), value);
}

std::vector<Path> set_by_path(const TreeRef& tree, std::string_view path, const TreeRef& value) {
  return set_by_path(tree, GlobPath::parse(path), value);
}

}  // namespace kontext
