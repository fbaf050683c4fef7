// Finds the doc comments of structs and their fields in C++ text: those right above a declaration
// and those beside it, which go on in the lines below that begin in the same column.
//
// This is no C++ parser. It knows enough to find plain fields and skips what it does not:
// templates, classes, methods, static members. A doc that it misses is just missing.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace base {

// How the compiler spells a namespace without a name.
#ifdef __clang__
inline constexpr std::string_view kUnnamed = "(anonymous namespace)";
#else
inline constexpr std::string_view kUnnamed = "{anonymous}";
#endif

struct StructDocs {
  std::string name;                                       // qualified, such as kd::optim::Adam
  std::vector<std::pair<std::string, std::string>> docs;  // field and text; "" is the struct itself
};

// The structs with at least one doc, in the order of their text.
std::vector<StructDocs> scan_docs(std::string_view text);

}  // namespace base
