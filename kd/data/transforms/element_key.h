// ElementKey: which elements of a record a transform changes.
//
//   ValueRange{.key = "image", ...}                               // in place
//   ValueRange{.key = {{"image", "depth"}}, ...}                  // several
//   ValueRange{.key = Map<std::string>{{"image", "small"}}, ...}  // the result has another name
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kd/core/interfaces.h"

namespace kd::data {

struct ElementKey : std::variant<std::string, std::vector<std::string>, Map<std::string>> {
  static constexpr std::string_view konfig_name = "a name, a list of names or a map of names";
  using variant::variant;
  ElementKey(const char* name) : variant(std::string(name)) {}
  ElementKey(std::initializer_list<const char*> names)
      : variant(std::vector<std::string>(names.begin(), names.end())) {}

  // From the name of the input to that of the output.
  std::vector<std::pair<std::string, std::string>> pairs() const;
};

}  // namespace kd::data
