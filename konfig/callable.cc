#include "konfig/callable.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "konfig/callable_impl.h"
#include "konfig/error.h"
#include "konfig/registry.h"
#include "konfig/suggest.h"

namespace konfig::detail {

namespace {

struct Entry {
  std::string signature;
  AnyFunction function;
};
struct Table {
  std::mutex mutex;
  std::map<std::string, Entry> entries;
};
Table& table() {
  static auto* t = new Table;  // never destroyed: used until the program ends
  return *t;
}

}  // namespace

AnyFunction find_callable(const std::string& qualname, std::string_view signature) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  auto it = t.entries.find(qualname);
  if (it == t.entries.end()) {
    std::vector<std::string> known;
    for (auto& entry : t.entries) known.push_back(entry.first);
    throw Error(ErrorKind::key, "no function is registered as \"" + qualname + "\"" +
                                    did_you_mean(qualname, known));
  }
  if (it->second.signature != signature) {
    throw Error(ErrorKind::type, "expected a function " + std::string(signature) + ", got " +
                                     qualname + ", which is " + it->second.signature);
  }
  return it->second.function;
}

bool has_callables(std::string_view signature) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  return std::ranges::any_of(t.entries,
                             [&](auto& entry) { return entry.second.signature == signature; });
}

bool register_callable(std::string qualname, std::string_view signature, AnyFunction function) {
  {
    auto& t = table();
    std::lock_guard lock(t.mutex);
    t.entries[qualname] = {std::string(signature), function};
  }
  // A type or a constant of this name stays what the name means elsewhere.
  if (!find_symbol(qualname)) register_symbol(Symbol{.qualname = std::move(qualname)});
  return true;
}

}  // namespace konfig::detail
