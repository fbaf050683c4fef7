// Arguments beside the fields.
#include "konfig/construct.h"

#include <map>

namespace konfig {

namespace {

std::map<std::string, Construct>& constructs() {
  static std::map<std::string, Construct> all;
  return all;
}

}  // namespace

bool set_construct(const std::string& interface, Construct construct) {
  constructs()[interface] = std::move(construct);
  return true;
}

const Construct* find_construct(const std::string& interface) {
  auto it = constructs().find(interface);
  return it == constructs().end() ? nullptr : &it->second;
}

}  // namespace konfig
