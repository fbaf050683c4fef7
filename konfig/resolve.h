// resolve: from a config to real objects.
//
//   std::shared_ptr<const Adam> adam = resolve<Adam>(cfg);
//   Value anything = resolve(cfg);
//
// Children first, in stored order; each call node is built once, so nodes that are shared in the
// config become one object. An error names the whole path, the type and the field.
#pragma once

#include <memory>

#include "konfig/type.h"
#include "konfig/value.h"

namespace konfig {

struct ResolveOptions {
  bool freeze = true;  // lists become tuples and plain nodes immutable maps
};

// Accepts configs, plain maps, lists, tuples and text.
Value resolve(const Value& cfg, ResolveOptions options = {});

namespace detail {
std::shared_ptr<const void> resolve_to(const ConfigDict& cfg, const Type& type);
}

// The object a config describes.
template <class T>
std::shared_ptr<const T> resolve(const ConfigDict& cfg) {
  return std::static_pointer_cast<const T>(detail::resolve_to(cfg, type_of<T>()));
}

// The object behind a resolved value; an Error of kind `type` when it holds another one.
std::shared_ptr<const void> object_of(const Value& resolved, const Type& type);

// The inverse for plain data: objects back to config nodes such that resolving gives an equal value
// (maps become `builtins:dict`, tuples `builtins.tuple`, reflected structs their call node).
Value export_(const Value& resolved);

}  // namespace konfig
