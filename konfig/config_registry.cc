#include "konfig/config_registry.h"

#include <map>
#include <mutex>

namespace konfig {

namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, ConfigEntry, std::less<>> entries;
};
Table& table() {
  static auto* t = new Table;  // never destroyed: used until the program ends
  return *t;
}

}  // namespace

bool register_config(std::string name, const ConfigEntry& entry) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  t.entries.insert_or_assign(std::move(name), entry);
  return true;
}

const ConfigEntry* find_config(std::string_view name) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  auto it = t.entries.find(name);
  return it == t.entries.end() ? nullptr : &it->second;
}

std::vector<std::string> all_configs() {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  std::vector<std::string> out;
  for (auto& entry : t.entries) out.push_back(entry.first);
  return out;
}

namespace detail {

void load_config_args(const Type& type, void* out, const Value& args) {
  if (args.is_none()) return;
  try {
    load(type, out, args);
  } catch (const Error& e) {
    throw e.within("__args__");
  }
}

void refuse_config_args(const Value& args) {
  auto* dict = args.get_if<Dict>();
  if (args.is_none() || (dict && dict->size() == 0)) return;
  throw Error(ErrorKind::type, "__args__", "this get_config takes no arguments");
}

}  // namespace detail

}  // namespace konfig
