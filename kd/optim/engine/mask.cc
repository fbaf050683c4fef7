// Masks and labels.
#include "kd/optim/engine/mask.h"

#include <regex>

#include "kd/optim/zip_impl.h"
#include "konfig/error.h"
#include "konfig/load.h"
#include "konfig/sequence.h"

namespace kd::optim {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

void collect_paths(const Tree& tree, const std::string& path, std::vector<std::string>& out) {
  if (tree.is_tensor()) return out.push_back(path);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string part = tree.has_names() ? tree.name(i) : std::to_string(i);
    collect_paths(tree.child(i), path.empty() ? part : path + "." + part, out);
  }
}

// One value a leaf, in order, as a tree. Nodes without leaves are whole and marked: kept as they
// are.
template <class T, class V>
Prefix<T> follow(const Tree& tree, const V& values, std::size_t& next, const T& otherwise) {
  if (tree.is_tensor()) return {.value = values[next++]};
  if (tree.empty()) return {.value = otherwise};
  Prefix<T> out{.is_whole = false};
  for (const Tree& child : tree.children()) {
    out.children.push_back(follow<T>(child, values, next, otherwise));
  }
  return out;
}

[[noreturn]] void fail(const Place& place, const char* what, const std::string& message) {
  const std::string at = place.text();
  throw Error(ErrorKind::value,
              std::string("the ") + what + (at.empty() ? "" : " at " + at) + ": " + message);
}

// What is written out, against the tree.
template <class T>
Prefix<T> written(const Value& value, const Tree& tree, const Place& place, const char* what) {
  if (auto* leaf = value.get_if<T>()) return {.value = *leaf};
  Prefix<T> out{.is_whole = false};
  auto child = [&](std::size_t i, const Value& item) {
    out.children.push_back(written<T>(item, tree.child(i), Place{&place, &tree, i}, what));
  };
  if (auto* dict = value.get_if<Dict>(); dict && tree.has_names()) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
      auto* item = dict->find(Value(tree.name(i)));
      if (!item) fail(place, what, "nothing is said about '" + tree.name(i) + "'");
      child(i, *item);
    }
    for (auto& [key, item] : *dict) {
      auto* name = key.template get_if<std::string>();
      if (!name || !tree.contains(*name)) {
        fail(place, what, "there is no parameter " + konfig::describe(key));
      }
    }
    return out;
  }
  if (auto* items = konfig::as_sequence(value); items && tree.kind() == Tree::Kind::list) {
    if (items->size() != tree.size()) {
      fail(place, what,
           "expected " + std::to_string(tree.size()) + " items, got " +
               std::to_string(items->size()));
    }
    for (std::size_t i = 0; i < items->size(); ++i) child(i, (*items)[i]);
    return out;
  }
  if (tree.empty() && !tree.is_tensor()) return {};
  fail(place, what,
       "the parameters have " + std::string(tree.type()) + " there, it has " +
           konfig::describe(value));
}

constexpr std::string_view kSpecial = "()[]?+*^$|\\";

// Whether `text` stands in `path` between dots or the ends.
bool has_part(const std::string& path, const std::string& text) {
  for (auto at = path.find(text); at != path.npos; at = path.find(text, at + 1)) {
    const auto end = at + text.size();
    if ((at == 0 || path[at - 1] == '.') && (end == path.size() || path[end] == '.')) return true;
  }
  return false;
}

std::vector<bool> select_by(const Patterns& patterns, const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  if (auto* one = std::get_if<std::string>(&patterns)) {
    all = {*one};
  } else {
    all = std::get<std::vector<std::string>>(patterns);
  }
  std::vector<bool> out(paths.size(), false);
  for (const std::string& pattern : all) {
    const bool plain = pattern.find_first_of(kSpecial) == pattern.npos;
    std::regex regex;
    if (!plain) {
      try {
        regex = std::regex("(?:^|\\.)" + pattern + "(?:$|\\.)");
      } catch (const std::regex_error& error) {
        throw Error(ErrorKind::value, "pattern",
                    "'" + pattern + "' is no regular expression: " + error.what());
      }
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (out[i]) continue;
      out[i] = plain ? has_part(paths[i], pattern) : std::regex_search(paths[i], regex);
    }
  }
  return out;
}

}  // namespace

std::vector<bool> Select::select(const std::vector<std::string>& paths) const {
  return select_by(*pattern, paths);
}

std::vector<bool> Exclude::select(const std::vector<std::string>& paths) const {
  std::vector<bool> out = select_by(*pattern, paths);
  out.flip();
  return out;
}

std::vector<std::string> dotted_paths(const Tree& tree) {
  std::vector<std::string> out;
  collect_paths(tree, "", out);
  return out;
}

Marks marks_of(const Mask& mask, const Tree& tree) {
  if (mask.is_none()) {
    throw Error(ErrorKind::value, "mask", "expected a mask, got None; true marks all leaves");
  }
  if (auto* all = std::get_if<bool>(&mask)) return {.value = *all};
  if (auto* value = std::get_if<Value>(&mask)) return written<bool>(*value, tree, {}, "mask");
  auto& function = std::get<Poly<MaskFn>>(mask);
  const auto values = ops_of(function).select(function.object().get(), dotted_paths(tree));
  std::size_t next = 0;
  return follow<bool>(tree, values, next, true);
}

LabelTree labels_of(const Labels& labels, const Tree& tree) {
  if (auto* value = std::get_if<Value>(&labels)) {
    return written<std::string>(*value, tree, {}, "labels");
  }
  auto& function = std::get<Poly<LabelFn>>(labels);
  std::vector<std::string> values;
  for (const std::string& path : dotted_paths(tree)) {
    values.push_back(ops_of(function).label(function.object().get(), path));
  }
  std::size_t next = 0;
  return follow<std::string>(tree, values, next, "");
}

Marks marks_of(const LabelTree& labels, const std::string& label) {
  Marks out{.value = labels.value == label, .is_whole = labels.is_whole};
  for (const LabelTree& child : labels.children) out.children.push_back(marks_of(child, label));
  return out;
}

Marks opposite(Marks marks) {
  marks.value = !marks.value;
  for (Marks& child : marks.children) child = opposite(std::move(child));
  return marks;
}

Tree keep(const Tree& tree, const Marks& marks) {
  if (marks.is_whole) return marks.value ? tree : Tree::record("MaskedNode");
  Tree out = tree;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.child(i) = keep(tree.child(i), marks.children[i]);
  }
  return out;
}

Tree merge(const Marks& marks, const Tree& changed, const Tree& old) {
  if (marks.is_whole) return marks.value ? changed : old;
  Tree out = old;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.child(i) = merge(marks.children[i], changed.child(i), old.child(i));
  }
  return out;
}

namespace {
void flatten_into(const Marks& marks, const Tree& tree, std::vector<bool>& out) {
  if (tree.is_tensor()) return out.push_back(marks.value);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    flatten_into(marks.is_whole ? marks : marks.children[i], tree.child(i), out);
  }
}
}  // namespace

std::vector<bool> flatten(const Marks& marks, const Tree& tree) {
  std::vector<bool> out;
  flatten_into(marks, tree, out);
  return out;
}

}  // namespace kd::optim
