// YAML files of configs: the tree with the place of every node, read by declared types. No tag but
// those of YAML itself and `!!python/tuple` is known, and nothing in a file is ever executed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/value.h"
#include "tfimm/train/config_class.h"

namespace tfimm::train::detail {

struct YamlNode;
using YamlPtr = std::shared_ptr<const YamlNode>;

struct YamlNode {
  enum class Kind { scalar, sequence, map };
  Kind kind = Kind::scalar;
  std::string text = {};  // scalar
  bool plain = true;      // scalar: without quotes, so that it may be a number or null
  std::vector<YamlPtr> items = {};
  struct Entry {
    std::string key;
    int line;
    YamlPtr value;
  };
  std::vector<Entry> entries = {};  // map
  int line = 1, column = 1;

  bool is_null() const;
};

// The map that a file must be. Errors have the file's name, line and column.
YamlPtr read_yaml(std::string_view text, const std::string& file);

// A value by the declared type of its field; by the rules of YAML 1.1 where there is none.
konfig::Value yaml_value(const Field& field, const YamlNode& node);
konfig::Value yaml_value(const YamlNode& node);

}  // namespace tfimm::train::detail
