// Configs in JSON and YAML, from files and standard input.
#include <iostream>
#include <iterator>

#include "base/file.h"
#include "konfig/config_text.h"
#include "konfig/json.h"
#include "konfig/qualnames.h"
#include "konfig/yaml.h"
#include "loader/files_impl.h"
#include "loader/sources_impl.h"

namespace loader {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

bool starts_like_json(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

std::string read_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

}  // namespace

konfig::ConfigDict load_data_file(const Request& request) {
  const bool input = request.source == "-";
  const std::string name = input ? "standard input" : request.source;
  if (!request.args.empty() || !request.config_args.empty()) {
    throw Error(ErrorKind::type, name + ": a data file takes no arguments");
  }
  if (!input) require_file(request.source);
  const auto text = input ? read_input() : base::try_read_file(request.source);
  if (!text) throw Error(ErrorKind::value, name + ": cannot be read");
  const bool json = input ? starts_like_json(*text) : request.source.ends_with(".json");
  try {
    const Value data = json ? konfig::parse_config_json(*text) : konfig::parse_yaml(*text);
    if (data.is<Dict>()) return konfig::ConfigDict(konfig::with_registered_names(data).as<Dict>());
    return json ? konfig::config_from_json(*text) : konfig::config_from_yaml(*text);  // says so
  } catch (const Error& e) {
    throw Error(e.kind(), name + ": " + e.what());
  }
}

}  // namespace loader
