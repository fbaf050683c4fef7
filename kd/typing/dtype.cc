// Which element types belong to which kind, and their names.
#include "kd/typing/dtype.h"

#include "kd/core/dtype_name.h"

namespace kd::typing {

using c10::ScalarType;

bool accepts(Elements elements, ScalarType type) {
  bool floating = c10::isFloatingType(type);
  bool integer = c10::isIntegralType(type, /*includeBool=*/false);
  switch (elements) {
    case Elements::any:
      return true;
    case Elements::number:
      return floating || integer || c10::isComplexType(type);
    case Elements::floating:
      return floating;
    case Elements::integer:
      return integer;
    case Elements::complex:
      return c10::isComplexType(type);
    case Elements::boolean:
      return type == ScalarType::Bool;
    case Elements::float16:
      return type == ScalarType::Half;
    case Elements::bfloat16:
      return type == ScalarType::BFloat16;
    case Elements::float32:
      return type == ScalarType::Float;
    case Elements::float64:
      return type == ScalarType::Double;
    case Elements::int8:
      return type == ScalarType::Char;
    case Elements::int16:
      return type == ScalarType::Short;
    case Elements::int32:
      return type == ScalarType::Int;
    case Elements::int64:
      return type == ScalarType::Long;
    case Elements::uint8:
      return type == ScalarType::Byte;
  }
  return false;
}

std::string_view name_of(Elements elements) {
  constexpr std::string_view names[] = {"Array", "Num",     "Float",    "Int",     "Complex",
                                        "Bool",  "Float16", "BFloat16", "Float32", "Float64",
                                        "Int8",  "Int16",   "Int32",    "Int64",   "UInt8"};
  return names[static_cast<int>(elements)];
}

std::string_view name_of(ScalarType type) { return dtype_name(type); }

}  // namespace kd::typing
