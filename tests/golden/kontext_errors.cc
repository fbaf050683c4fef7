// Errors of the kontext cases: the kind must match, and what the reference's text names must be in
// ours.
#include <algorithm>
#include <regex>

#include "tests/golden/kontext_groups.h"

namespace golden {
namespace {

using konfig::ErrorKind;

std::vector<ErrorKind> accepted(const std::string& error) {
  using enum ErrorKind;
  if (error == "ParseError" || error == "ValueError") return {value};
  if (error == "KeyError") return {key, index};  // a position outside a list is no key
  if (error == "IndexError") return {index};
  if (error == "TypeError") return {type};
  if (error == "NotImplementedError") return {unsupported};
  if (error == "RuntimeError") return {value};  // looking inside a leaf
  return {};
}

// What the text names: paths, keys, types.
std::vector<std::string> names_in(const std::string& message) {
  std::vector<std::string> out;
  auto add = [&](const char* pattern, bool all = false) {
    std::regex regex(pattern);
    for (std::sregex_iterator it(message.begin(), message.end(), regex), end; it != end; ++it) {
      out.push_back((*it)[1]);
      if (!all) break;
    }
  };
  add(R"re(has no attributes/key: '?([^'(]*?)'?\.$)re");
  add(R"(The (\w+) has no attributes)");
  add(R"re(Key '?([^']*?)'? (?:not found|out of range))re");
  add(R"(Error accessing '?([^']*?)'? in)");
  add(R"(Cannot mutate leaf <class '(\w+)'>)");
  add(R"(Expected list index, got '([^']*)')");
  add(R"(path for '([^']*)')", true);
  add(R"(\n  '([^'\n]*)')", true);
  add(R"(required keys: \['([^\]]*)'\])");
  add(R"(missing a required argument: '(\w+)')");
  add(R"(unexpected keyword argument '(\w+)')");
  return out;
}

}  // namespace

std::string kontext_error_mismatch(const konfig::Dict& expected, const konfig::Error& ours) {
  const std::string& error = expected.at("error").as<std::string>();
  auto kinds = accepted(error);
  if (std::find(kinds.begin(), kinds.end(), ours.kind()) == kinds.end()) {
    return "kind " + std::string(to_string(ours.kind())) + " does not match " + error;
  }
  std::string text = ours.what();
  if (error == "ParseError") {
    return text.find("could not parse") == text.npos ? "not a parse error" : "";
  }
  const konfig::Value* message = expected.find("message");
  if (!message) return "";
  for (std::string name : names_in(message->as<std::string>())) {
    if (name == "NoneType") name = "None";
    if (text.find(name) == text.npos) return "our text does not name " + name;
  }
  return "";
}

}  // namespace golden
