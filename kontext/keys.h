// Keys: from the Key fields of an object to the values they name in a context.
//
//   struct L2 {
//     Key preds = Key::required();
//     Key targets = Key::required();
//     std::optional<Key> mask = {};
//   };
//   L2 loss{.preds = "preds.image", .targets = "batch.image"};
//   ResolvedKeys args = resolve_from_keyed_obj(context, loss);
//   args["preds"].as<Tensor>();
//
// A key field is a Key, or an optional, vector, array, map, tuple or variant of them, at any depth.
// A type with a member `konfig::Dict kontext_keys() const` names its keys itself. kontext/call.h
// calls a function with what the keys lead to.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "konfig/make_type.h"
#include "konfig/value.h"
#include "kontext/key.h"
#include "kontext/tree.h"

namespace kontext {

// Field name -> key, or a tree of keys (List, Tuple, Dict), or None. In order of declaration.
using KeyPaths = konfig::Dict;

// What a key, or a tree of keys, leads to; of the shape of the keys.
struct Resolved {
  Shape shape = Shape::leaf;  // leaf, none, list, tuple or map
  TreeRef found = {};         // leaf
  std::vector<std::pair<Part, Resolved>> children = {};

  template <class T>
  const T& as() const {
    return found.as<T>();
  }
  const Resolved& operator[](const Part& part) const;
  konfig::Value value() const;
};

class ResolvedKeys {
 public:
  explicit ResolvedKeys(std::vector<std::pair<std::string, Resolved>> items)
      : items_(std::move(items)) {}
  const Resolved& operator[](std::string_view name) const;
  const Resolved* find(std::string_view name) const;
  std::size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<std::pair<std::string, Resolved>> items_;
};

// The parameters that a caller of the object takes, by name. C++ does not know the names of a
// function's parameters: give them where a check by name is wanted.
struct Signature {
  struct Parameter {
    std::string name;
    bool optional = false;
  };
  std::vector<Parameter> parameters;
  bool open = false;  // takes any further name
};

namespace detail {
bool has_keys(const konfig::Type& type);
KeyPaths keypaths_of(const konfig::Type& type, const void* object);
template <class T>
concept HasKeysHook = requires(const T& object) {
  { object.kontext_keys() } -> std::convertible_to<KeyPaths>;
};
ResolvedKeys resolve(const TreeRef& context, const KeyPaths& keys, std::string_view type,
                     const Signature* signature);
}  // namespace detail

template <class T>
bool is_key_annotated() {
  if constexpr (detail::HasKeysHook<T>) {
    return true;
  } else {
    return detail::has_keys(konfig::type_of<T>());
  }
}

template <class T>
KeyPaths get_keypaths(const T& object) {
  if constexpr (detail::HasKeysHook<T>) {
    return object.kontext_keys();
  } else if constexpr (std::derived_from<T, konfig::PolyBase>) {
    return object ? detail::keypaths_of(*object.type(), object.object().get()) : KeyPaths();
  } else {
    return detail::keypaths_of(konfig::type_of<T>(), &object);
  }
}

// Looks up every key. Keys that are None are left out; a required key that was not set, a missing
// path and a mismatch with the signature are errors that start with the type of the object.
template <class T>
ResolvedKeys resolve_from_keyed_obj(const TreeRef& context, const T& object) {
  return detail::resolve(context, get_keypaths(object), konfig::type_name<T>, nullptr);
}
template <class T>
ResolvedKeys resolve_from_keyed_obj(const TreeRef& context, const T& object,
                                    const Signature& signature) {
  return detail::resolve(context, get_keypaths(object), konfig::type_name<T>, &signature);
}
// For keys that come from elsewhere.
ResolvedKeys resolve_from_keypaths(const TreeRef& context, const KeyPaths& keys,
                                   std::string_view type_name);

// The names that were most likely meant: the 3 most similar and the 3 with the longest common
// start, sorted.
std::vector<std::string> closest_paths(std::string_view path, const std::vector<std::string>& all);

}  // namespace kontext
