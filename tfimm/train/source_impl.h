// What one source of a config gives, as a tree: the config in code, or a file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "konfig/value.h"
#include "tfimm/train/yaml_read_impl.h"

namespace tfimm::train::detail {

// A value or a map of a source. Dots in keys are levels already.
struct Given {
  std::string where;  // "in code", "exp.yaml, line 3"
  bool is_map = false;
  konfig::Value value = {};            // a value in code
  YamlPtr yaml = nullptr;              // a value in a file
  std::vector<std::string> keys = {};  // of a map, in order
  std::map<std::string, std::unique_ptr<Given>, std::less<>> children = {};

  const Given* find(std::string_view key) const;
  bool is_none() const { return !is_map && (yaml ? yaml->is_null() : value.is_none()); }
  // By the type of its field; an Error without its place.
  konfig::Value read(const Field& field) const;
  konfig::Value untyped() const;
};

// Both are Errors where a key is given twice, or as a value and as a map.
std::unique_ptr<Given> given_in_code(const konfig::Dict& cfg);
std::unique_ptr<Given> given_in_file(const YamlNode& map, const std::string& file);

}  // namespace tfimm::train::detail
