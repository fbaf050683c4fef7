// Doc comments of config structs, for help texts. A build step reads them from the headers and
// calls register_field_docs; without it everything works and docs are empty.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "konfig/type.h"

namespace konfig {

// Docs by field name; "" is the struct itself. The texts must live as long as the program. Returns
// true, to be called from an initialiser.
bool register_field_docs(std::string_view cpp_type_name,
                         std::initializer_list<std::pair<std::string_view, std::string_view>> docs);

std::string_view field_doc(const Type& type, std::string_view field);
inline std::string_view type_doc(const Type& type) { return field_doc(type, ""); }

}  // namespace konfig
