// Typed paths: from the address of a field to its name.
#include "kontext/path_builder.h"

namespace kontext::detail {

std::string field_name_at(const void* field, const void* const* places,
                          const std::vector<std::string_view>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (places[i] == field) return std::string(names[i]);
  }
  throw konfig::Error(konfig::ErrorKind::key,
                      "[path_builder] the member is none of the reflected fields of its struct");
}

}  // namespace kontext::detail
