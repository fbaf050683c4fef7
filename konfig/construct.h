// Arguments that all components of an interface take beside their fields, as Flax gives every
// module a `name`.
#pragma once

#include <functional>
#include <string>

#include "konfig/registry.h"

namespace konfig {

// Makes an object of a type from arguments; `build` is the usual way, for fields alone.
using Construct = std::function<Value(const Type& type, const Arguments& arguments,
                                      const std::function<Value(const Arguments& fields)>& build)>;

// For components of this interface: "kd::Module".
bool set_construct(const std::string& interface, Construct construct);
// nullptr: there is only the usual way.
const Construct* find_construct(const std::string& interface);

}  // namespace konfig
