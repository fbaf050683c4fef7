// Types as a Python programmer writes them.
#include "cli/text.h"

#include "base/join.h"

namespace cli {

using konfig::Kind;
using konfig::Type;

std::string short_name(std::string_view cpp_name) {
  const auto arguments = cpp_name.find('<');
  const auto colons = cpp_name.substr(0, arguments).rfind("::");
  return std::string(colons == cpp_name.npos ? cpp_name : cpp_name.substr(colons + 2));
}

namespace {

std::string text_type(const Type& type) {
  if (type.name.find("basic_string") != type.name.npos || type.name == "std::string") return "str";
  if (type.name.starts_with("std::filesystem")) return "path";
  return short_name(type.name);
}

// All of them, or the first few of many: this is a column of a table.
std::vector<std::string> choices(const Type& type) {
  constexpr std::size_t kMany = 5;
  std::vector<std::string> out;
  for (auto& e : type.enumerators) {
    if (type.enumerators.size() > kMany && out.size() + 2 == kMany) {
      out.emplace_back("...");
      break;
    }
    out.push_back("'" + std::string(e.name) + "'");
  }
  return out;
}

}  // namespace

std::string type_text(const Type& type) {
  switch (type.kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::floating:
      return "float";
    case Kind::text:
      return text_type(type);
    case Kind::enumeration:
      return base::join(choices(type), " | ");
    case Kind::duration:
      return "duration";
    case Kind::record:
      return short_name(type.name);
    case Kind::tuple:
      return "tuple[" +
             base::join(type.fields, ", ", [](auto& field) { return type_text(field.type()); }) +
             "]";
    case Kind::list:
      return "list[" + type_text(type.element()) + "]";
    case Kind::bits:
      return "list[bool]";
    case Kind::array:
      return "tuple[" + type_text(type.element()) + ", " + std::to_string(type.count(nullptr)) +
             " times]";
    case Kind::map:
      return "dict[str, " + type_text(type.element()) + "]";
    case Kind::optional:
      return type_text(type.element()) + " | None";
    case Kind::variant:
      return base::join(type.alternatives, " | ",
                        [](auto& alternative) { return type_text(alternative()); });
    case Kind::poly:
      return short_name(type.interface);
    case Kind::callable:
      return "function";
    case Kind::any:
      return "any";
    case Kind::dict:
      return "dict";
    case Kind::required:
    case Kind::inherit:
      return type_text(type.element());
    case Kind::args:
      return "*" + type_text(type.element());
    case Kind::kwargs:
      return "**" + type_text(type.element());
  }
  return "";
}

}  // namespace cli
