// Reading a tree by path.
//
//   get_by_path<float>(batch, "boxes[0].score");
//   get_by_path(params, "encoder.layers[1].kernel[..., 0]").as<Tensor>();
//   get_by_path<int>(cfg, "seed", 0);               // with a default
//   static const Path kImage = "batch.image"_path;   // parsed once
//   if (TreeRef image = find_by_path(context, kImage)) ...
//
// A part is looked up as a key or index first and as a field second, so `a.b` reaches both.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "kontext/key.h"
#include "kontext/tree.h"

namespace kontext {

// A path as text, as a Path, as a Key, or none at all.
class PathArg {
 public:
  PathArg(const Path& path) : path_(&path), kind_(Kind::path) {}
  PathArg(const Key& key) : text_(key.str()), kind_(Kind::text) {}
  PathArg(std::nullopt_t) {}
  template <class T>
  requires std::convertible_to<const T&, std::string_view> PathArg(const T& text)
      : text_(text), kind_(Kind::text) {}
  template <class T>
  requires std::convertible_to<const T&, PathArg> PathArg(const std::optional<T>& path) {
    if (path) *this = PathArg(*path);
  }

  bool is_none() const { return kind_ == Kind::none; }
  const Path* path() const { return path_; }
  std::string_view text() const { return text_; }

 private:
  enum class Kind { none, text, path };
  const Path* path_ = nullptr;
  std::string_view text_;
  Kind kind_ = Kind::none;
};

// What is at the path, or an empty TreeRef. Allocates nothing in plain containers and structs.
inline TreeRef find_by_path(TreeRef tree, const Path& path) {
  for (const Part& part : path) {
    tree = tree.child(part);
    if (!tree) break;
  }
  return tree;
}

// What is at the path; the error names the level where the search ended, what is there and the
// nearest name. No path at all gives None.
TreeRef get_by_path(const TreeRef& tree, const PathArg& path);
// The same, empty instead of an error for a missing place. Text that is no path is still an error.
TreeRef find_by_path(const TreeRef& tree, const PathArg& path);

template <class T>
T get_by_path(const TreeRef& tree, const PathArg& path) {
  return get_by_path(tree, path).template to<T>();
}
template <class T>
T get_by_path(const TreeRef& tree, const PathArg& path, T otherwise) {
  TreeRef found = path.is_none() ? TreeRef() : find_by_path(tree, path);
  return found ? found.to<T>() : std::move(otherwise);
}

}  // namespace kontext
