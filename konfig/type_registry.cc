#include "konfig/type_registry.h"

#include <map>
#include <mutex>
#include <set>

#include "konfig/error.h"

namespace konfig {

namespace {

struct Tables {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> names;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> components;
};
// Never destroyed: types of loaded libraries may be looked up while the program ends.
Tables& tables() {
  static auto* t = new Tables;
  return *t;
}

}  // namespace

std::string qualname_of(const Type& type) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  auto it = t.names.find(type.name);
  return it == t.names.end() ? "" : it->second;
}

std::string require_qualname(const Type& type) {
  auto name = qualname_of(type);
  if (name.empty()) {
    throw Error(ErrorKind::key, std::string(type.name) +
                                    " has no registered name; add KONFIG_REGISTER(" +
                                    std::string(type.name) + ") to one source file");
  }
  return name;
}

bool is_component(std::string_view interface, const Type& type) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  auto it = t.components.find(interface);
  return it != t.components.end() && it->second.contains(type.name);
}

std::vector<std::string> components_of(std::string_view interface) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  auto it = t.components.find(interface);
  if (it == t.components.end()) return {};
  return {it->second.begin(), it->second.end()};
}

void register_type_name(std::string_view type_name, std::string qualname) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  t.names.insert_or_assign(std::string(type_name), std::move(qualname));
}

void register_component(std::string_view interface, std::string_view type_name) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  t.components[std::string(interface)].emplace(type_name);
}

std::string default_qualname(std::string_view type_name) {
  std::string out;
  std::size_t last = std::string::npos;  // where the last separator stands in `out`
  auto arguments = type_name.find('<');
  for (std::size_t i = 0; i < type_name.size();) {
    if (i < arguments && type_name.substr(i).starts_with("::")) {
      last = out.size();
      out += '.';
      i += 2;
      continue;
    }
    out += type_name[i++];
    for (std::string_view unnamed : {"{anonymous}", "(anonymous namespace)"}) {
      if (out.ends_with(unnamed)) {
        out.erase(out.size() - unnamed.size());
        if (type_name.substr(i).starts_with("::")) i += 2;
      }
    }
  }
  if (last == std::string::npos || last >= out.size()) return "__main__:" + out;
  out[last] = ':';
  return out;
}

}  // namespace konfig
