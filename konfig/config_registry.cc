#include "konfig/config_registry.h"

#include <map>
#include <mutex>
#include <set>

#include "konfig/offer_config.h"

namespace konfig {

namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, ConfigEntry, std::less<>> entries;
  std::map<std::string, std::function<void()>, std::less<>> offers;  // of those not in entries
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

void offer_config(std::string name, std::function<void()> load) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  t.offers.insert_or_assign(std::move(name), std::move(load));
}

const ConfigEntry* find_config(std::string_view name) {
  auto& t = table();
  std::unique_lock lock(t.mutex);
  if (auto offer = t.offers.find(name); offer != t.offers.end()) {
    const auto load = offer->second;
    lock.unlock();  // it registers
    load();
    lock.lock();
    t.offers.erase(std::string(name));
  }
  auto it = t.entries.find(name);
  return it == t.entries.end() ? nullptr : &it->second;
}

std::vector<std::string> all_configs() {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  std::set<std::string> out;
  for (auto& entry : t.entries) out.insert(entry.first);
  for (auto& offer : t.offers) out.insert(offer.first);
  return {out.begin(), out.end()};
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
