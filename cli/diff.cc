#include "cli/diff.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/terminal.h"
#include "cli/text.h"
#include "konfig/registry.h"
#include "konfig/sequence.h"
#include "konfig/type.h"
#include "kontext/path.h"

namespace cli {
namespace {

using konfig::ConfigDict;
using konfig::Sequence;
using konfig::Value;
using kontext::Part;
using kontext::Path;

bool same_leaf(const Value& a, const Value& b) {
  if (a.is<bool>() != b.is<bool>()) return false;
  auto *x = a.get_if<double>(), *y = b.get_if<double>();
  if (x && y && std::isnan(*x) && std::isnan(*y)) return true;
  return a == b;
}

// The entries of a node. Keys of positional arguments are numbers.
using Entries = std::vector<std::pair<Value, Value>>;

Entries entries_of(const ConfigDict& node) {
  const std::size_t num_args = node.num_args();
  Entries out = node.items();
  for (auto& [key, value] : out) {
    auto* text = key.get_if<std::string>();
    for (std::size_t i = 0; text && i < num_args; ++i) {
      if (*text != std::to_string(i)) continue;
      key = i;
      break;
    }
  }
  return out;
}

const Value* find(const Entries& entries, const Value& key) {
  for (auto& entry : entries) {
    // Not 1 == True: the keys of a config keep their kinds.
    if (entry.first.variant().index() == key.variant().index() && entry.first == key) {
      return &entry.second;
    }
  }
  return nullptr;
}

// The key by which `other` has the argument `key` of a call: its name or its position.
Value other_spelling(const konfig::Type* type, const Value& key) {
  if (!type || type->open_args()) return key;
  if (auto* index = key.get_if<std::int64_t>()) {
    const auto i = static_cast<std::size_t>(*index);
    return i < type->fields.size() ? Value(type->fields[i].name) : key;
  }
  auto* name = key.get_if<std::string>();
  for (std::size_t i = 0; name && i < type->fields.size(); ++i) {
    if (type->fields[i].name == *name) return i;
  }
  return key;
}

const konfig::Type* argument_type(const ConfigDict& node) {
  if (!node.is_call()) return nullptr;
  try {
    auto* symbol = konfig::find_symbol(node.qualname());
    return symbol ? symbol->type : nullptr;
  } catch (const konfig::Error&) {
    return nullptr;
  }
}

class Differ {
 public:
  std::vector<Change> changes;

  void compare(const Path& path, const Value& a, const Value& b) {
    auto *x = a.get_if<ConfigDict>(), *y = b.get_if<ConfigDict>();
    if (x && y && kind_of(*x) == kind_of(*y)) return nodes(path, *x, *y);
    auto *s = konfig::as_sequence(a), *t = konfig::as_sequence(b);
    if (s && t) return sequences(path, *s, *t);
    if (x || y || s || t || !same_leaf(a, b)) changes.push_back({path.str(), a, b, {}, {}});
  }

 private:
  static int kind_of(const ConfigDict& node) {
    return node.is_call() ? 2 : node.is_const() ? 1 : 0;
  }

  void nodes(const Path& path, const ConfigDict& a, const ConfigDict& b) {
    const std::string here = path.str();
    const std::string& first_a = first(seen_a_, a, here);
    const std::string& first_b = first(seen_b_, b, here);
    if (first_a != first_b && a.is_call()) {
      changes.push_back(
          {here, {}, {}, first_a == here ? "" : first_a, first_b == here ? "" : first_b});
    }
    for (auto& [x, y] : compared_) {
      if (x.same(a) && y.same(b)) return;
    }
    compared_.emplace_back(a, b);
    entries(path, a, b);
  }

  void entries(const Path& path, const ConfigDict& a, const ConfigDict& b) {
    const Entries left = entries_of(a), right = entries_of(b);
    const konfig::Type* type = a.qualname() == b.qualname() ? argument_type(a) : nullptr;
    for (auto& [key, value] : left) {
      const Value* other = find(right, key);
      if (!other) other = find(right, other_spelling(type, key));
      if (other) {
        compare(path / Part(key), value, *other);
      } else {
        changes.push_back({(path / Part(key)).str(), value, {}, {}, {}});
      }
    }
    for (auto& [key, value] : right) {
      if (find(left, key) || find(left, other_spelling(type, key))) continue;
      changes.push_back({(path / Part(key)).str(), {}, value, {}, {}});
    }
  }

  void sequences(const Path& path, const Sequence& a, const Sequence& b) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      const Path at = path / Part(i);
      if (i < a.size() && i < b.size()) {
        compare(at, a[i], b[i]);
      } else if (i < a.size()) {
        changes.push_back({at.str(), a[i], {}, {}, {}});
      } else {
        changes.push_back({at.str(), {}, b[i], {}, {}});
      }
    }
  }

  using Seen = std::vector<std::pair<ConfigDict, std::string>>;
  static const std::string& first(Seen& seen, const ConfigDict& node, const std::string& path) {
    for (auto& [known, at] : seen) {
      if (known.same(node)) return at;
    }
    return seen.emplace_back(node, path).second;
  }

  Seen seen_a_, seen_b_;
  std::vector<std::pair<ConfigDict, ConfigDict>> compared_;
};

std::string sharing_text(const std::string& first) {
  return first.empty() ? "a node of its own" : "the node of " + first;
}

}  // namespace

std::vector<Change> diff(const Value& before, const Value& after) {
  Differ differ;
  differ.compare({}, before, after);
  return std::move(differ.changes);
}

std::string to_line(const Change& change) {
  const std::string path = change.path.empty() ? "cfg" : change.path;
  auto old_text = [&] { return ink_out(Ink::red, flat_text(*change.before)); };
  auto new_text = [&] { return ink_out(Ink::green, flat_text(*change.after)); };
  if (change.shared_before) {
    return path + ": " + ink_out(Ink::red, sharing_text(*change.shared_before)) + " -> " +
           ink_out(Ink::green, sharing_text(*change.shared_after));
  }
  if (!change.before) return path + ": added " + new_text();
  if (!change.after) return path + ": removed " + old_text();
  return path + ": " + old_text() + " -> " + new_text();
}

}  // namespace cli
