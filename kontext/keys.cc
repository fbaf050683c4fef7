// Keys: finding them in objects, looking them up, saying what is wrong.
#include "kontext/keys.h"

#include <algorithm>
#include <set>

#include "base/join.h"
#include "konfig/scalar_text.h"
#include "konfig/suggest.h"
#include "konfig/to_value.h"
#include "kontext/describe_impl.h"
#include "kontext/flatten.h"
#include "kontext/get.h"

namespace kontext {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Kind;
using konfig::Type;
using konfig::Value;

// A Key, or a container of them. Structs are not looked into: their keys are their own.
bool holds_key(const Type& type, int depth = 0) {
  constexpr int kMaxDepth = 16;  // a variant may contain itself
  if (depth > kMaxDepth) return false;
  if (type.name == konfig::type_name<Key>) return true;
  auto inside = [&](const Type& inner) { return holds_key(inner, depth + 1); };
  if (type.kind == Kind::tuple) {
    return std::ranges::any_of(type.fields, [&](auto& field) { return inside(field.type()); });
  }
  if (type.kind == Kind::variant) {
    return std::ranges::any_of(type.alternatives, [&](auto inner) { return inside(inner()); });
  }
  return type.kind != Kind::record && type.element && inside(type.element());
}

// ---- The tree of keys.

struct Missing {
  std::string name, path;
};

class Resolver {
 public:
  explicit Resolver(const TreeRef& context) : context_(context) {}

  Resolved resolve(const Path& name, const TreeRef& keys) {
    if (keys.shape() == Shape::none) return {.shape = Shape::none};
    if (keys.is_container()) {
      Resolved out{.shape = keys.shape()};
      keys.each([&](const Part& part, const TreeRef& child) {
        out.children.emplace_back(part, resolve(name / part, child));
        return false;
      });
      return out;
    }
    auto* path = keys.get_if<std::string>();
    if (!path) {
      throw error_at(ErrorKind::type, name,
                     "a key is a path as text, found " + with_article(keys.type_name()));
    }
    TreeRef found;
    try {
      found = find_by_path(context_, *path);
    } catch (const Error& e) {
      throw error_at(e.kind(), name, e.message());
    }
    if (!found) missing.push_back({name.str(), *path});
    return {.found = found};
  }

  std::vector<Missing> missing;

 private:
  const TreeRef& context_;
};

std::string quoted_list(const std::vector<std::string>& names) {
  return base::join(names, ", ", [](auto& name) { return konfig::repr_text(name); });
}

void check_required(const Dict& keys) {
  std::vector<std::string> required;
  for (auto& [path, leaf] : flatten_with_path(keys)) {
    auto* text = leaf.get_if<std::string>();
    if (text && *text == Key::kRequired) required.push_back(path.str());
  }
  if (required.empty()) return;
  throw Error(ErrorKind::value, "required keys are not set: " + quoted_list(required) +
                                    "; set them where the object is made");
}

// The path as far as it exists, and what is there.
std::string why(const TreeRef& context, const std::string& path) {
  try {
    get_by_path(context, path);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

[[noreturn]] void fail_missing(const TreeRef& context, const std::vector<Missing>& missing) {
  std::vector<std::string> all;
  for (auto& leaf : flatten_with_path(context)) all.push_back(leaf.first.str());
  std::string out = missing.size() == 1 ? "invalid key" : "invalid keys";
  for (auto& [name, path] : missing) {
    out += "\n  " + name + " = " + konfig::repr_text(path) + ": " + why(context, path);
    if (auto near = closest_paths(path, all); !near.empty()) {
      out += "\n    did you mean one of: " + quoted_list(near);
    }
  }
  throw Error(ErrorKind::key, out);
}

std::string signature_text(const Signature& signature) {
  std::vector<std::string> parts;
  for (auto& [name, optional] : signature.parameters) {
    parts.push_back(name + (optional ? " (optional)" : ""));
  }
  if (signature.open) parts.emplace_back("any");
  return "(" + base::join(parts, ", ") + ")";
}

void check_signature(const std::vector<std::pair<std::string, Value>>& keys,
                     const Signature& signature) {
  std::string problem;
  std::vector<std::string> names;
  for (auto& key : keys) {
    names.push_back(key.first);
    bool known = std::ranges::any_of(signature.parameters,
                                     [&](auto& parameter) { return parameter.name == key.first; });
    if (!known && !signature.open && problem.empty()) {
      problem = "there is no parameter " + konfig::repr_text(key.first);
    }
  }
  for (auto& [name, optional] : signature.parameters) {
    bool given = std::ranges::find(names, name) != names.end();
    if (!given && !optional && problem.empty()) {
      problem = "no key gives the parameter " + konfig::repr_text(name);
    }
  }
  if (problem.empty()) return;
  throw Error(ErrorKind::type, "the keys do not match the function's signature: " + problem +
                                   "; parameters: " + signature_text(signature) +
                                   ", keys that are set: " + quoted_list(names));
}

}  // namespace

// ---- Results.

const Resolved& Resolved::operator[](const Part& part) const {
  for (auto& [name, child] : children) {
    if (name == part) return child;
  }
  throw error_at(ErrorKind::key, part.str(), "no such key in the tree of keys");
}

Value Resolved::value() const {
  switch (shape) {
    case Shape::none:
      return Value();
    case Shape::leaf:
    case Shape::record:
      return found.value();
    default:
      break;
  }
  if (shape == Shape::map) {
    Dict out;
    for (auto& [part, child] : children) out.set(part.value(), child.value());
    return out;
  }
  std::vector<Value> items;
  for (auto& child : children) items.push_back(child.second.value());
  if (shape == Shape::tuple) return konfig::Tuple(std::move(items));
  return konfig::List(std::move(items));
}

const Resolved* ResolvedKeys::find(std::string_view name) const {
  for (auto& [key, value] : items_) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Resolved& ResolvedKeys::operator[](std::string_view name) const {
  if (auto* found = find(name)) return *found;
  std::vector<std::string> names;
  for (auto& item : items_) names.push_back(item.first);
  throw error_at(ErrorKind::key, std::string(name),
                 "no such key" + konfig::did_you_mean(name, names) +
                     " (there are: " + quoted_list(names) + ")");
}

// ---- Resolving.

namespace detail {

bool has_keys(const Type& type) {
  return std::ranges::any_of(type.fields, [](auto& field) { return holds_key(field.type()); });
}

KeyPaths keypaths_of(const Type& type, const void* object) {
  KeyPaths out;
  for (const konfig::Field& field : type.fields) {
    if (!holds_key(field.type())) continue;
    out.set(field.name,
            konfig::to_value(field.type(), konfig::detail::at_offset(object, field.offset)));
  }
  return out;
}

ResolvedKeys resolve(const TreeRef& context, const KeyPaths& keys, std::string_view type,
                     const Signature* signature) {
  try {
    std::vector<std::pair<std::string, Value>> set;
    for (auto& [name, key] : keys) {
      if (!key.is_none()) set.emplace_back(name.as<std::string>(), key);
    }
    check_required(keys);
    if (signature) check_signature(set, *signature);
    Resolver resolver(context);
    std::vector<std::pair<std::string, Resolved>> out;
    for (auto& [name, key] : set) out.emplace_back(name, resolver.resolve(Path{name}, key));
    if (!resolver.missing.empty()) fail_missing(context, resolver.missing);
    return ResolvedKeys(std::move(out));
  } catch (const Error& e) {
    throw error_at(e.kind(), std::string(type), e.message());
  }
}

}  // namespace detail

ResolvedKeys resolve_from_keypaths(const TreeRef& context, const KeyPaths& keys,
                                   std::string_view type_name) {
  return detail::resolve(context, keys, type_name, nullptr);
}

std::vector<std::string> closest_paths(std::string_view path, const std::vector<std::string>& all) {
  constexpr std::size_t kEach = 3;
  auto common = [&](const std::string& other) {
    return static_cast<double>(std::ranges::mismatch(path, other).in1 - path.begin());
  };
  std::set<std::string> out;
  auto add_best = [&](auto score) {
    std::vector<std::pair<double, std::string>> ranked;
    for (auto& other : all) ranked.emplace_back(score(other), other);
    std::ranges::sort(ranked, std::greater<>());
    for (std::size_t i = 0; i < std::min(kEach, ranked.size()); ++i) out.insert(ranked[i].second);
  };
  add_best([&](const std::string& other) { return konfig::similarity(other, path); });
  add_best(common);
  return {out.begin(), out.end()};
}

}  // namespace kontext
