// resolve: from a config to real objects.
//
//   std::shared_ptr<const Adam> adam = resolve<Adam>(cfg);   // typed, see konfig/register.h
//   Value anything = resolve(cfg);
//
// Children first, in stored order; each call node is built once, so nodes that are shared in the
// config become one object. An error names the whole path, the type and the field.
#pragma once

#include "konfig/value.h"

namespace konfig {

struct ResolveOptions {
  bool freeze = true;  // lists become tuples and plain nodes immutable maps
};

// Accepts configs, plain maps, lists, tuples and text.
Value resolve(const Value& cfg, ResolveOptions options = {});

// The object behind a resolved value; an Error of kind `type` when it holds another one.
std::shared_ptr<const void> object_of(const Value& resolved, const Type& type);

// The inverse for plain data: objects back to config nodes such that resolving gives an equal value
// (maps become `builtins:dict`, tuples `builtins.tuple`, reflected structs their call node).
Value export_(const Value& resolved);

}  // namespace konfig
