// copy_fields: hands the fields that two structs share from one to the other.
//
//   struct Npz { bool csv = true; bool console = true; std::string folder = ""; };
//   struct Files { bool csv = true; bool console = true; };
//   Files files;
//   copy_fields(npz, files);   // csv and console
#pragma once

#include <cstddef>
#include <vector>

#include "konfig/make_type.h"

namespace konfig {

namespace detail {

struct SharedField {
  std::size_t from, to;  // where it is in either struct
  void (*assign)(void* to, const void* from);
};
std::vector<SharedField> shared_fields(const Type& from, const Type& to);
void copy_fields(const std::vector<SharedField>& fields, const void* from, void* to);

}  // namespace detail

// Fields that only one of them has are left alone; two fields of one name have one type, or it is
// an Error.
template <Record From, Record To>
void copy_fields(const From& from, To& to) {
  static const auto fields = detail::shared_fields(type_of<From>(), type_of<To>());
  detail::copy_fields(fields, &from, &to);
}

}  // namespace konfig
