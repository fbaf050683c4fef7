// What the fuzz targets share: values that were read can be written and read again.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "konfig/error.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/yaml.h"

namespace fuzz {

// A broken property ends the run, so that the fuzzer keeps the input.
inline void require(bool ok, const char* property, const std::string& a, const std::string& b) {
  if (ok) return;
  std::fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", property, a.c_str(), b.c_str());
  std::abort();
}

// Some values have no JSON (sets, bytes): "" then.
inline std::string json_or_nothing(const konfig::Value& value) {
  try {
    return konfig::to_json(value);
  } catch (const konfig::Error&) {
    return "";
  }
}

// Through JSON and back gives the same text; printing never fails.
inline void check_value(const konfig::Value& value) {
  (void)value.repr();
  konfig::repr(value);
  std::string json = json_or_nothing(value);
  if (json.empty()) return;
  std::string again = konfig::to_json(konfig::parse_json(json));
  require(again == json, "JSON changed on the way", json, again);
}

// As above, for a config, through YAML and a copy too.
inline void check_config(const konfig::ConfigDict& cfg) {
  konfig::repr(cfg);
  std::string json = json_or_nothing(cfg);
  if (json.empty()) return;
  std::string again = konfig::to_json(konfig::config_from_json(json));
  require(again == json, "JSON of a config changed on the way", json, again);
  std::string copied = konfig::to_json(cfg.copy());
  require(copied == json, "JSON of the copy differs", json, copied);
  std::string yaml = konfig::to_yaml(cfg);
  std::string from_yaml = konfig::to_json(konfig::config_from_yaml(yaml));
  require(from_yaml == json, "JSON after YAML differs", json, yaml + "\n" + from_yaml);
}

// Runs `f`; an Error is fine.
template <class F>
void only_errors(F&& f) {
  try {
    f();
  } catch (const konfig::Error&) {
  }
}

inline std::string_view text(const unsigned char* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace fuzz
