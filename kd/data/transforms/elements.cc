// Transforms that change which elements a record has.
#include <algorithm>
#include <set>

#include "base/join.h"
#include "kd/data/engine/transform.h"
#include "kd/data/engine/value_tree.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/suggest.h"

namespace kd::data {

namespace {

using Names = std::set<std::string>;

std::string quoted(const Names& names) {
  return base::join(names, ", ", [](auto& name) { return "'" + name + "'"; });
}

Names both(const Names& a, const Names& b) {
  Names out;
  std::ranges::set_intersection(a, b, std::inserter(out, out.end()));
  return out;
}

Names joined(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

Names set_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

Names keys_of(const Map<std::string>& map) {
  Names out;
  for (auto& [from, to] : map) out.insert(from);
  return out;
}

Names values_of(const Map<std::string>& map) {
  Names out;
  for (auto& [from, to] : map) out.insert(to);
  return out;
}

void refuse(const Names& names, const std::string& what) {
  if (!names.empty()) throw Error(ErrorKind::key, what + ": " + quoted(names));
}

void require(const Tree& record, const Names& names, const char* field) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < record.size(); ++i) known.push_back(record.name(i));
  for (auto& name : names) {
    if (!record.contains(name)) {
      throw Error(ErrorKind::key, std::string(field) + ": there is no element '" + name + "'" +
                                      konfig::did_you_mean(name, known));
    }
  }
}

}  // namespace

void Elements::check() const {
  if (!keep.empty() && !drop.empty()) {
    throw Error(ErrorKind::value, "keep and drop exclude each other: give one of them");
  }
  const Names kept = set_of(keep), dropped = set_of(drop);
  const Names old_names = keys_of(rename), new_names = values_of(rename);
  refuse(both(kept, joined(old_names, new_names)), "both in keep and in rename");
  refuse(both(dropped, old_names), "both in drop and in rename");
  const Names copies = values_of(copy);
  if (copies.size() != copy.size()) {
    throw Error(ErrorKind::value, "copy: two elements would get the same name");
  }
  refuse(both(copies, joined(joined(kept, dropped), joined(old_names, new_names))),
         "names of copies are also in keep, drop or rename");
}

Tree Elements::map(Tree record) const {
  const Names kept = set_of(keep), dropped = set_of(drop), renamed = keys_of(rename);
  require(record, keys_of(copy), "copy");
  require(record, kept, "keep");
  require(record, dropped, "drop");
  require(record, renamed, "rename");

  Tree out = Tree::dict();
  for (std::size_t i = 0; i < record.size(); ++i) {
    const std::string& name = record.name(i);
    if (renamed.contains(name) || dropped.contains(name)) continue;
    if (keep.empty() || kept.contains(name)) out[name] = record.child(i);
  }
  for (auto& [from, to] : copy) {
    if (record.contains(to)) {
      throw Error(ErrorKind::key, "copy: '" + to + "' exists already; drop it in a step before");
    }
    out[to] = record.at(from);
  }
  for (auto& [from, to] : rename) {
    if (out.contains(to)) {
      throw Error(ErrorKind::key, "rename: '" + to + "' exists already; drop it to replace it");
    }
    out[to] = record.at(from);
  }
  return out;
}

Tree AddConstants::map(Tree record) const {
  for (auto& [name, value] : values) {
    if (record.contains(name)) {
      throw Error(ErrorKind::key, "'" + name + "' exists already; drop it in a step before");
    }
    record[name] = tree_of(value);
  }
  return record;
}

namespace {

void flatten_into(Tree& out, const std::string& name, const Tree& tree,
                  const std::string& separator) {
  if (tree.is_leaf()) {
    out[name] = tree;
    return;
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string step = tree.has_names() ? tree.name(i) : std::to_string(i);
    flatten_into(out, name + separator + step, tree.child(i), separator);
  }
}

}  // namespace

Tree TreeFlattenWithPath::map(Tree record) const {
  Tree out = record, leaves = Tree::dict();
  bool found = false;
  for (auto& [from, to] : key->pairs()) {
    const Tree* element = record.find(from);
    if (!element) continue;
    found = true;
    if (from == to) out.erase(from);
    flatten_into(leaves, to, *element, separator);
  }
  // Fails with the names there are.
  if (!found) return map_elements(*key, std::move(record), [](const Tree& tree) { return tree; });
  for (std::size_t i = 0; i < leaves.size(); ++i) out[leaves.name(i)] = leaves.child(i);
  return out;
}

}  // namespace kd::data
