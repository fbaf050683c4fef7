// A part of a tree, chosen by a pattern, with the types of its containers kept.
//
//   filter_by_path(params, "**.bias");          // every bias, at its place
//   filter_by_path(batch, "boxes.*.label");
//
// List items that do not match are dropped. Named parts must exist, also below `*`; `**` passes
// over branches without a match. Structs and tuples are kept whole or not at all. `filter_by_path`
// of nothing but `**` misses gives an empty container.
#pragma once

#include <string_view>

#include "kontext/part_map.h"
#include "kontext/path.h"
#include "kontext/tree.h"

namespace kontext {

// The chosen part of a tree: all of it, or some children.
struct Selection {
  bool all = false;
  PartMap<Selection> children = {};

  bool empty() const { return !all && children.empty(); }
  const Selection* find(const Part& part) const { return children.find(part); }  // or nullptr
  void merge(Selection other);
};

Selection select_by_path(const TreeRef& tree, const GlobPath& path);

// The selected part of one value. A type whose TreeTraits has `filtered(tree, selection)` decides
// itself.
template <class T>
T filtered(const T& tree, const Selection& selection);
template <>
konfig::Value filtered(const konfig::Value& tree, const Selection& selection);
template <>
konfig::Dict filtered(const konfig::Dict& tree, const Selection& selection);
template <>
konfig::List filtered(const konfig::List& tree, const Selection& selection);
template <>
konfig::ConfigDict filtered(const konfig::ConfigDict& tree, const Selection& selection);

template <class T>
T filtered(const T& tree, const Selection& selection) {
  if (selection.all) return tree;
  if constexpr (requires { TreeTraits<T>::filtered(tree, selection); }) {
    return TreeTraits<T>::filtered(tree, selection);
  } else if constexpr (detail::MapLike<T>) {
    T out;
    for (auto& [key, value] : tree) {
      if (auto* chosen = selection.find(Part(key))) out[key] = filtered(value, *chosen);
    }
    return out;
  } else if constexpr (detail::ListLike<T> && detail::Resizable<T>) {
    T out;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (auto* chosen = selection.find(Part(i))) {
        out.push_back(filtered<typename T::value_type>(tree[i], *chosen));
      }
    }
    return out;
  } else if constexpr (detail::PointerLike<T> && !std::is_pointer_v<T>) {
    T out;
    using V = std::remove_cvref_t<decltype(*tree)>;
    if (detail::points(tree)) detail::emplace(out, filtered<V>(*tree, selection));
    return out;
  } else if constexpr (detail::VariantLike<T>) {
    return std::visit([&](auto& active) { return T(filtered(active, selection)); },
                      detail::base(tree));
  } else {
    return tree;
  }
}

template <class T>
T filter_by_path(const T& tree, const GlobPath& path) {
  return filtered(tree, select_by_path(tree, path));
}
template <class T>
T filter_by_path(const T& tree, std::string_view path) {
  return filter_by_path(tree, GlobPath::parse(path));
}

}  // namespace kontext
