#include "konfig/caller.h"

#include <map>
#include <mutex>

namespace konfig::detail {

namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> callers;
};
Table& table() {
  static auto* t = new Table;  // never destroyed: used until the program ends
  return *t;
}

}  // namespace

bool register_caller(std::string_view interface, std::string qualname) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  t.callers.insert_or_assign(std::string(interface), std::move(qualname));
  return true;
}

std::string caller_of(std::string_view interface) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  auto it = t.callers.find(interface);
  return it == t.callers.end() ? "" : it->second;
}

}  // namespace konfig::detail
