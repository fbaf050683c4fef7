// What the fuzz targets of konfig's notations check: a text that can be read survives a round trip.
#pragma once

#include <optional>

#include "tests/fuzz/round_trip.h"

namespace fuzz {

// `parse` returns a Value, and `config_of` a ConfigDict with it; each may throw an Error.
template <class Parse, class ConfigOf>
void check_parser(Parse&& parse, ConfigOf&& config_of) {
  std::optional<konfig::Value> value;
  only_errors([&] { value = parse(); });
  if (!value) return;
  check_value(*value);
  std::optional<konfig::ConfigDict> cfg;
  only_errors([&] { cfg = config_of(*value); });
  if (cfg) check_config(*cfg);
}

// A config with one entry.
inline konfig::ConfigDict config_with(const konfig::Value& value) {
  konfig::ConfigDict cfg;
  cfg["value"] = value;
  return cfg;
}

}  // namespace fuzz
