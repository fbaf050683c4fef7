// Finds the doc comments of structs and their fields in the text of a C++ header.
//
//   // Adam: adaptive moments.                    -> {"", "Adam: adaptive moments."}
//   struct Adam {
//     double b1 = 0.9;  // decay of the first     -> {"b1", "decay of the first moment"}
//                       // moment
//     // Keeps the division finite.
//     double eps = 1e-8;                          -> {"eps", "Keeps the division finite."}
//   };
//
// This is no C++ parser. It knows enough to find plain fields and skips what it does not:
// templates, classes, methods, static members. A doc that it misses is just missing.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace components {

struct StructDocs {
  std::string name;                                       // qualified, such as kd::optim::Adam
  std::vector<std::pair<std::string, std::string>> docs;  // field and text; "" is the struct itself
};

// The structs with at least one doc, in the order of their text.
std::vector<StructDocs> scan_docs(std::string_view header);

}  // namespace components
