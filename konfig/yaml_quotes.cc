#include "konfig/yaml_quotes.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <ostream>
#include <sstream>

namespace konfig {

bool ends_within_quotes(const std::string& yaml) {
  // The mark of a document's end is an error within quotes, and nowhere else.
  std::istringstream in(yaml + "\n...\n");
  std::ostream nowhere(nullptr);
  try {
    YAML::Parser(in).PrintTokens(nowhere);
  } catch (const YAML::Exception&) {
    return true;
  }
  return false;
}

}  // namespace konfig
