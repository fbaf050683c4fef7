#include "loader/exception_kind_impl.h"

#include <map>

namespace loader {

konfig::ErrorKind kind_of_exception(std::string_view name) {
  using enum konfig::ErrorKind;
  static const std::map<std::string_view, konfig::ErrorKind> kinds = {
      {"TypeError", type},
      {"KeyError", key},
      {"AttributeError", key},
      {"ModuleNotFoundError", key},
      {"IndexError", index},
      {"RequiredValueError", required},
      {"RecursionError", cycle},
      {"MutabilityError", cycle},
      {"NotImplementedError", unsupported},
      {"ZeroDivisionError", arithmetic},
      {"OverflowError", arithmetic},
  };
  const auto it = kinds.find(name);
  return it == kinds.end() ? value : it->second;
}

}  // namespace loader
