// The table of implementations: interface and type to functions.
#include "konfig/implement.h"

#include <map>
#include <mutex>
#include <string>

#include "konfig/error.h"

namespace konfig::detail {

namespace {

// Filled while libraries are loaded, possibly while another thread reads.
struct Table {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, const void*, std::less<>> entries;
};

Table& table() {
  static Table* table = new Table;  // outlives every library that reads it
  return *table;
}

}  // namespace

bool implement(std::string_view interface, std::string_view type, const void* ops) {
  Table& all = table();
  std::lock_guard lock(all.mutex);
  all.entries[{std::string(interface), std::string(type)}] = ops;
  return true;
}

const void* try_find_ops(std::string_view interface, std::string_view type) {
  Table& all = table();
  std::lock_guard lock(all.mutex);
  const auto it = all.entries.find({std::string(interface), std::string(type)});
  return it == all.entries.end() ? nullptr : it->second;
}

const void* find_ops(std::string_view interface, const PolyBase& component) {
  if (!component) {
    throw Error(ErrorKind::value, "a " + std::string(interface) + " is used that was not set");
  }
  if (const void* ops = try_find_ops(interface, component.type()->name)) return ops;
  throw Error(ErrorKind::unsupported,
              std::string(component.type()->name) +
                  " can be configured but not run: nothing that was loaded implements it as a " +
                  std::string(interface));
}

}  // namespace konfig::detail
