// How export_ writes objects of a type whose fields are not what a config says, such as those made
// by a function:
//
//   konfig::Dict export_range(const Range& range) {
//     return {{"__qualname__", "my.project:range_of"}, {"stop", range.end - range.begin}};
//   }
//   KONFIG_EXPORT_AS(Range, export_range);
//
// The result is a call node: it has a "__qualname__", or export_ throws an Error.
#pragma once

#include <string_view>

#include "konfig/register.h"
#include "konfig/value.h"

namespace konfig::detail {

using ExportHook = Dict (*)(const void* object);
bool register_export_hook(std::string_view type_name, ExportHook hook);
ExportHook find_export_hook(std::string_view type_name);  // nullptr: there is none

}  // namespace konfig::detail

// At global scope.
#define KONFIG_EXPORT_AS(T, function)                                                            \
  KONFIG_RUN(konfig::detail::register_export_hook(konfig::type_name<T>, [](const void* object) { \
    return konfig::Dict(function(*static_cast<const T*>(object)));                               \
  }))
