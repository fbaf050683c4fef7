// What our rules make of a parse_args case, worked out from the case itself and without the parser:
// a value for each field by class default < code < file < flag, read by its declared type. Where we
// differ from the reference on purpose, our answer has to be this one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "konfig/value.h"
#include "tests/golden/tfimm_classes.h"

namespace golden {

struct RuleInput {
  konfig::Value cfg;                           // an object or a map
  tfimm::train::ConfigClassPtr cls = nullptr;  // nullptr: that of cfg; of a map none
  std::vector<std::string> argv = {};
  std::string yaml = {};       // the file's text ...
  std::string yaml_file = {};  // ... which is read where cfg_file names this
};

struct RuleOutcome {
  konfig::Value value;  // of no use when something is wrong
  // What is wrong: its kind ("not given", "no field", "expected", "_class is empty", "ambiguous",
  // "not a value", "no class yet", "unknown flag") and its place.
  std::vector<std::pair<std::string, std::string>> wrong = {};
  // The flags in order, with the value that each has without the flag; nothing: it is needed.
  std::vector<std::pair<std::string, std::optional<konfig::Value>>> flags = {};
};

RuleOutcome apply_rules(const RuleInput& input);

}  // namespace golden
