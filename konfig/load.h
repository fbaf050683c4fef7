// load: from values to C++ fields, with errors a person can act on.
//
//   Adam adam;
//   load(type_of<Adam>(), &adam, value);
//   auto sizes = load<std::vector<int>>(value);
//
// The values are what `resolve` gives (nodes are Objects already); lists serve for tuples and the
// other way round. Numbers are checked: 300 does not fit an int8, and 3.0 is no whole number. The
// path of an Error is relative to what was being loaded: "sizes[0]".
#pragma once

#include <string>

#include "konfig/error.h"
#include "konfig/make_type.h"
#include "konfig/registry.h"
#include "konfig/value.h"

namespace konfig {

// Assigns `value` to the `type` at `out`. A struct given as a dict keeps the fields not mentioned.
void load(const Type& type, void* out, const Value& value);

// Fills the struct at `out` from the arguments of a call: positional ones by order of fields,
// keywords by name, the rest into its Args and Kwargs fields.
void load_arguments(const Type& type, void* out, const Arguments& arguments);

// A struct field by field from a dict: load_arguments with keywords only.
void load_fields(const Type& type, void* out, const Dict& fields);

template <class T>
T load(const Value& value) {
  T out{};
  load(type_of<T>(), &out, value);
  return out;
}

// How a value is called in "expected ..., got ...": `"fast"`, `3.0`, `a kd::optim::Adam`.
std::string describe(const Value& value);

namespace detail {
[[noreturn]] void fail_expected(const Type& type, const Value& value);
void load_scalar(const Type& type, void* out, const Value& value);   // load_scalar.cc
void load_variant(const Type& type, void* out, const Value& value);  // load_variant.cc
}  // namespace detail

}  // namespace konfig
