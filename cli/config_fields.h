// The fields of a config: those it sets and those its types have besides, with types and docs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "konfig/type.h"
#include "konfig/value.h"

namespace cli {

struct ConfigField {
  std::string path;                    // "optimizer.learning_rate", as in --cfg.PATH
  const konfig::Type* type = nullptr;  // as declared; nullptr: the config's types do not know it
  std::string type_text;               // "float | ScheduleFn"
  std::string value;                   // on one line, shortened
  bool is_set = true;                  // false: the value is the type's default
  bool is_default = false;             // the value is the type's default, set or not
  bool is_node = false;                // has fields of its own
  std::string_view doc = {};
};

// In the order of the types' declarations, parents before their fields.
std::vector<ConfigField> config_fields(const konfig::ConfigDict& cfg);

// The default of a field: "0.9", "required", "the root's seed".
std::string default_text(const konfig::Type& owner, const konfig::Field& field);

}  // namespace cli
