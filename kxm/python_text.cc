#include "base/join.h"
#include "base/shape_text.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"
#include "kxm/python_text_impl.h"

namespace kxm::detail {

using konfig::Value;

std::string python_repr(const Value& value) {
  if (auto* list = value.get_if<konfig::List>()) {
    return "[" + base::join(*list, ", ", python_repr) + "]";
  }
  if (auto* tuple = value.get_if<konfig::Tuple>()) return base::tuple_text(*tuple, python_repr);
  if (auto* dict = value.get_if<konfig::Dict>()) {
    auto entry = [](const konfig::Dict::Pair& pair) {
      return python_repr(pair.first) + ": " + python_repr(pair.second);
    };
    return "{" + base::join(*dict, ", ", entry) + "}";
  }
  if (value.is<konfig::ConfigDict>()) return konfig::repr(value);
  return konfig::scalar_text(value);
}

std::string python_str(const Value& value) {
  auto* text = value.get_if<std::string>();
  return text ? *text : python_repr(value);
}

}  // namespace kxm::detail
