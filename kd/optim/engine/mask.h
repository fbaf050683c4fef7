// Runs masks and labels: which leaves of a tree, by path or written out.
//
//   optim::Marks marks = optim::marks_of(optim::Select{"kernel"}, params);
//   Tree kernels = optim::keep(params, marks);          // MaskedNode in place of the others
//
// Your own mask is a struct with fields and `bool operator()(const std::string& path) const`, a
// label function one with `std::string operator()(const std::string& path) const`. Paths are names
// joined by dots, also of list items: "heads.0.kernel". A mask that prepares something for all
// paths has `std::vector<bool> select(const std::vector<std::string>& paths) const` instead.
//
//   struct Decayed {
//     bool operator()(const std::string& path) const { return path.ends_with("kernel"); }
//   };
//   KD_COMPONENT(kd::MaskFn, Decayed);
#pragma once

#include <string>
#include <vector>

#include "kd/core/implement.h"
#include "kd/core/tree.h"
#include "kd/optim/masks.h"

namespace kd {

namespace optim {
struct MaskOps {
  // Prepares once for many paths.
  std::vector<bool> (*select)(const void* self, const std::vector<std::string>& paths);
};
struct LabelOps {
  std::string (*label)(const void* self, const std::string& path);
};
}  // namespace optim

template <>
struct Implement<MaskFn> {
  using Ops = optim::MaskOps;
  template <class T>
  static std::vector<bool> select(const void* self, const std::vector<std::string>& paths) {
    const T& t = *static_cast<const T*>(self);
    std::vector<bool> out;
    if constexpr (requires { t(paths.front()); }) {
      for (const std::string& path : paths) out.push_back(t(path));
    } else {
      out = t.select(paths);
    }
    return out;
  }
  template <class T>
  static constexpr Ops ops = {&select<T>};
};

template <>
struct Implement<LabelFn> {
  using Ops = optim::LabelOps;
  template <class T>
  static std::string label(const void* self, const std::string& path) {
    return (*static_cast<const T*>(self))(path);
  }
  template <class T>
  static constexpr Ops ops = {&label<T>};
};

namespace optim {

// A value for each leaf of a tree, or one for all below a node. Children follow those of the tree.
template <class T>
struct Prefix {
  T value = {};          // of a node without children
  bool is_whole = true;  // `value` counts for all below
  std::vector<Prefix> children = {};
};
using Marks = Prefix<bool>;
using LabelTree = Prefix<std::string>;

// An Error names the path where a mask that is written out does not follow the tree.
Marks marks_of(const Mask& mask, const Tree& tree);
// An Error names a pattern of Select or Exclude that fits no path: a mistake in it would show in
// nothing but the results. A mask that says what is trained needs all of its patterns; another one
// of Select needs any, in a tree that no other mask made smaller.
enum class Needs { any_pattern, all_patterns };
void check_patterns(const Mask& mask, const Tree& tree, Needs needs);
LabelTree labels_of(const Labels& labels, const Tree& tree);
Marks marks_of(const LabelTree& labels, const std::string& label);  // where the label is this one
Marks opposite(Marks marks);

// The tree with MaskedNode in place of what is not marked.
Tree keep(const Tree& tree, const Marks& marks);
// `changed` where marked, `old` elsewhere.
Tree merge(const Marks& marks, const Tree& changed, const Tree& old);
// One for each leaf of the tree, in order.
std::vector<bool> flatten(const Marks& marks, const Tree& tree);

// Names joined by dots, one for each leaf.
std::vector<std::string> dotted_paths(const Tree& tree);

}  // namespace optim
}  // namespace kd
