// lower: from typed values to config nodes.
//
//   ConfigDict node = lower(optim::Adam{.b1 = 0.8});   // {"__qualname__": "optax:adam", "b1": 0.8}
//
// Written are the fields that differ from their default, required ones, and those marked with
// keep(). C++ cannot see that a field was set to the value it had. Registered structs become call
// nodes, others plain dicts; shared nodes stay one node; vectors become lists; tuples, pairs and
// arrays become tuples; an Inherit field that was not given is left out.
#pragma once

#include "konfig/live.h"
#include "konfig/make_type.h"
#include "konfig/value.h"

namespace konfig {

// A value in its config form.
Value lower_value(const Type& type, const void* value);

// A struct or a Poly as a node.
template <class T>
requires(Record<T> || std::derived_from<T, PolyBase>) ConfigDict lower(const T& value) {
  return lower_value(type_of<T>(), &value).template as<ConfigDict>();
}
template <class T>
ConfigDict lower(const Handle<T>& handle) {
  return lower(*handle);
}

namespace detail {
ConfigDict lower_config(const ConfigState& config);
Value plain_value(const Type& type, const void* value);  // lower_value, leaving references out
}  // namespace detail

}  // namespace konfig
