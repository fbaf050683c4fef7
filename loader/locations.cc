#include "loader/locations.h"

#include <map>

namespace loader {
namespace {

using Locations = std::map<std::string, std::string, std::less<>>;

Locations& locations() {
  static auto* all = new Locations;  // errors are told until the program ends
  return *all;
}

// Whether `path` is `outer` or a place in it.
bool is_within(std::string_view path, std::string_view outer) {
  if (outer.empty()) return true;
  return path.starts_with(outer) &&
         (path.size() == outer.size() || path[outer.size()] == '.' || path[outer.size()] == '[');
}

}  // namespace

void set_locations(const konfig::Dict& all) {
  locations().clear();
  for (auto& [path, place] : all) {
    locations().emplace(path.as<std::string>(), place.as<std::string>());
  }
}

void forget_locations(std::string_view path) {
  std::erase_if(locations(), [&](auto& entry) { return is_within(entry.first, path); });
}

std::string location_of(std::string_view path) {
  const Locations::value_type* found = nullptr;
  for (auto& entry : locations()) {
    if (!is_within(path, entry.first)) continue;
    if (!found || entry.first.size() > found->first.size()) found = &entry;
  }
  return found ? found->second : "";
}

}  // namespace loader
