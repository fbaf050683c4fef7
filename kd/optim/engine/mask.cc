// Masks and labels.
#include "kd/optim/engine/mask.h"

#include <algorithm>
#include <regex>

#include "base/join.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"
#include "konfig/load.h"
#include "konfig/sequence.h"
#include "konfig/suggest.h"

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

bool is_plain(const std::string& pattern) {
  return pattern.find_first_of(kSpecial) == pattern.npos;
}

// For each path, whether it has the pattern.
std::vector<bool> matches_of(const std::string& pattern, const std::vector<std::string>& paths) {
  const bool plain = is_plain(pattern);
  std::regex regex;
  if (!plain) {
    try {
      regex = std::regex("(?:^|\\.)" + pattern + "(?:$|\\.)");
    } catch (const std::regex_error& error) {
      throw Error(ErrorKind::value, "pattern",
                  "'" + pattern + "' is no regular expression: " + error.what());
    }
  }
  std::vector<bool> out;
  for (const std::string& path : paths) {
    out.push_back(plain ? has_part(path, pattern) : std::regex_search(path, regex));
  }
  return out;
}

std::vector<std::string> list_of(const Patterns& patterns) {
  if (auto* one = std::get_if<std::string>(&patterns)) return {*one};
  return std::get<std::vector<std::string>>(patterns);
}

std::vector<bool> select_by(const Patterns& patterns, const std::vector<std::string>& paths) {
  std::vector<bool> out(paths.size(), false);
  for (const std::string& pattern : list_of(patterns)) {
    const std::vector<bool> matches = matches_of(pattern, paths);
    for (std::size_t i = 0; i < paths.size(); ++i) out[i] = out[i] || matches[i];
  }
  return out;
}

bool has_masked(const Tree& tree) {
  return tree.type() == "MaskedNode" ||
         (!tree.is_tensor() && std::ranges::any_of(tree.children(), has_masked));
}

// "; did you mean 'encoder', as in encoder.bias, encoder.kernel?"
std::string nearest_paths(const std::string& pattern, const std::vector<std::string>& paths) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> parts;
  for (const std::string& path : paths) {
    // Every run of whole parts: "a.b.c" gives a, a.b, a.b.c, b, b.c, c.
    for (std::size_t from = 0;; from = path.find('.', from) + 1) {
      for (auto to = path.find('.', from);; to = path.find('.', to + 1)) {
        parts.push_back(path.substr(from, to == path.npos ? to : to - from));
        if (to == path.npos) break;
      }
      if (path.find('.', from) == path.npos) break;
    }
  }
  const auto near = is_plain(pattern) ? konfig::nearest(pattern, parts, 0.6) : std::nullopt;
  std::vector<std::string> shown;
  for (const std::string& path : paths) {
    if (shown.size() < kShown && (!near || has_part(path, *near))) shown.push_back(path);
  }
  const std::string list = base::join(shown, ", ");
  return near ? "; did you mean '" + *near + "', as in " + list + "?"
              : "; parameters are " + list + (paths.size() > shown.size() ? ", ..." : "");
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
    throw Error(ErrorKind::value, "expected a mask, got None; true marks all leaves");
  }
  if (auto* all = std::get_if<bool>(&mask)) return {.value = *all};
  if (auto* value = std::get_if<Value>(&mask)) return written<bool>(*value, tree, {}, "mask");
  auto& function = std::get<Poly<MaskFn>>(mask);
  const auto values = ops_of(function).select(function.object().get(), dotted_paths(tree));
  std::size_t next = 0;
  return follow<bool>(tree, values, next, true);
}

void check_patterns(const Mask& mask, const Tree& tree, Needs needs) {
  auto* function = std::get_if<Poly<MaskFn>>(&mask);
  if (!function || !*function) return;
  const auto* select = function->get_if<Select>();
  const auto* exclude = function->get_if<Exclude>();
  const bool all = needs == Needs::all_patterns;
  if (!select && !(exclude && all)) return;
  const std::vector<std::string> paths = dotted_paths(tree);
  if (paths.empty() || has_masked(tree)) return;
  std::vector<std::string> missed;
  const std::vector<std::string> patterns = list_of(select ? *select->pattern : *exclude->pattern);
  for (const std::string& pattern : patterns) {
    const std::vector<bool> matches = matches_of(pattern, paths);
    if (std::ranges::find(matches, true) == matches.end()) missed.push_back(pattern);
  }
  if (missed.empty() || (!all && missed.size() < patterns.size())) return;
  throw Error(ErrorKind::value, "pattern",
              "'" + missed[0] + "' matches no parameter" + nearest_paths(missed[0], paths));
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
