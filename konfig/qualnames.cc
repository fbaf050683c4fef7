#include "konfig/qualnames.h"

#include <algorithm>
#include <utility>

#include "konfig/config_dict.h"
#include "konfig/registry.h"

namespace konfig {
namespace {

std::string with_dots(std::string name) {
  std::replace(name.begin(), name.end(), ':', '.');
  return name;
}

// "a.b.C" as "a:b.C" or "a.b:C", whichever is registered; "" if neither is.
std::string registered_split(const std::string& written) {
  std::string name = with_dots(written);
  for (auto dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    if (dot == 0 || dot + 1 == name.size()) return "";
    name[dot] = ':';
    if (const Symbol* found = find_symbol(name)) {
      return with_dots(found->qualname) == with_dots(name) ? found->qualname : name;
    }
    name[dot] = '.';
  }
  return "";
}

// The reference's modules by other names than those of its aliases.
std::string expand_module(std::string_view qualname) {
  constexpr std::pair<std::string_view, std::string_view> kModules[] = {
      {"xm", "xmanager.xm"}, {"xm_abc", "xmanager.xm_abc"}, {"kauldron.xm", "kauldron.kxm"}};
  for (auto& [called, module] : kModules) {
    std::string_view rest = qualname;
    if (!rest.starts_with(called)) continue;
    rest.remove_prefix(called.size());
    if (!rest.starts_with('.') && !rest.starts_with(':')) continue;
    // The file that defines it is not part of its name.
    if (rest.starts_with("._src.")) rest = rest.substr(rest.find_last_of(".:"));
    return std::string(module) + std::string(rest);
  }
  return expand_qualname(qualname);
}

}  // namespace

std::string registered_qualname(std::string_view qualname) {
  for (const std::string& name : {std::string(qualname), expand_module(qualname)}) {
    if (std::string found = registered_split(name); !found.empty()) return found;
  }
  return std::string(qualname);
}

Value with_registered_names(const Value& data) {
  if (auto* list = data.get_if<List>()) {
    List out;
    for (auto& item : *list) out.push_back(with_registered_names(item));
    return out;
  }
  auto* dict = data.get_if<Dict>();
  if (!dict) return data;
  Dict out;
  for (auto& [k, v] : *dict) {
    const bool name = v.is<std::string>() && (k == Value(kQualname) || k == Value(kConst));
    out.set(k, name ? Value(registered_qualname(v.as<std::string>())) : with_registered_names(v));
  }
  return out;
}

}  // namespace konfig
