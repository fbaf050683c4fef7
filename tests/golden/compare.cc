// Comparison of golden outputs.
#include "tests/golden/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <regex>
#include <vector>

#include "konfig/json.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The kinds of ours that mean the same as the reference's exception.
std::vector<ErrorKind> kinds(const std::string& error, const std::string& message) {
  using enum ErrorKind;
  if (error == "AttributeError") {
    // "'int' object has no attribute 'items'": a value of the wrong type, met by chance.
    if (contains(message, "object has no attribute")) return {type, value, key};
    return {key};
  }
  if (error == "TypeError") {
    for (const char* text : {"unsupported operand", "not JSON serializable", "JSON serializable.",
                             "not iterable", "not callable", "bad operand"}) {
      if (contains(message, text)) return {type, unsupported};
    }
    return {type};
  }
  if (error == "KeyError" && contains(message, "out of range")) return {key, index};
  if (error == "KeyError" || error == "ModuleNotFoundError") return {key};
  if (error == "ValueError" || error == "AssertionError") return {value};
  if (error == "IndexError") return {index};
  if (error == "RequiredValueError") return {required};
  if (error == "NotImplementedError") return {truth, unsupported};
  if (error == "ZeroDivisionError" || error == "OverflowError") return {arithmetic};
  if (error == "RecursionError" || error == "MutabilityError") return {cycle};
  return {};
}

// One spelling for all paths: cfg.a[1]['b'] -> cfg.a.1.b
std::string plain_path(std::string text) {
  static const std::regex quoted(R"re(\[(?:'([^']*)'|"([^"]*)")\])re");
  static const std::regex number(R"(\[(-?\d+)\])");
  static const std::regex dots(R"(\.\.+)");
  text = std::regex_replace(text, quoted, ".$1$2");
  text = std::regex_replace(text, number, ".$1");
  return std::regex_replace(text, dots, ".");
}

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// `part` occurs as whole words.
bool contains_word(const std::string& text, const std::string& part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    auto end = at + part.size();
    bool left = at == 0 || !word_char(text[at - 1]) || !word_char(part.front());
    bool right = end == text.size() || !word_char(text[end]) || !word_char(part.back());
    if (left && right) return true;
  }
  return part.empty();
}

// What of the reference's text must occur in ours: paths and names.
std::vector<std::string> places(const std::string& message) {
  std::vector<std::string> out;
  std::string chain;
  static const std::regex in(R"(In (?:'([^'\n]*)'|\[(-?\d+)\]):\n)");
  for (std::sregex_iterator it(message.begin(), message.end(), in), end; it != end; ++it) {
    chain += "." + (*it)[1].str() + (*it)[2].str();
  }
  if (!chain.empty()) out.push_back("cfg" + chain);
  static const std::vector<std::regex> patterns = {
      std::regex(R"(`(cfg\.[^`]*)`)"),            // Error setting `cfg..a[1]`
      std::regex(R"(\(path: (cfg\.ref[^)<]*))"),  // (path: cfg.ref.a.b)
      std::regex(R"(override field '([^']*)')"),  // Could not override field 'a'
      std::regex(R"(\(config path: ([^)]*)\))"),
      std::regex(R"(Did you mean "([^"]*)\")"),
      std::regex(R"(^["\\']*Key "([^"]*)\")"),
      std::regex(R"(another FieldReference: '([^']*)')"),
      std::regex(R"(^["\\]*'+\\*'*([^'"\\]+)\\*'["\\']*$)")};  // 'missing_key'
  for (const std::regex& pattern : patterns) {
    std::smatch found;
    if (std::regex_search(message, found, pattern)) {
      std::string place = plain_path(found[1]);
      while (place.ends_with('.')) place.pop_back();
      out.push_back(place);
    }
  }
  return out;
}

bool same_pairs(const Dict& a, const Dict& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return identical(x.first, y.first) && identical(x.second, y.second);
  });
}

}  // namespace

bool identical(const Value& a, const Value& b) {
  if (a.variant().index() != b.variant().index()) return false;
  if (auto* x = a.get_if<double>()) {
    double y = b.as<double>();
    return (std::isnan(*x) && std::isnan(y)) ||
           std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(y);
  }
  if (auto* x = a.get_if<List>()) {
    const List& y = b.as<List>();
    return std::equal(x->begin(), x->end(), y.begin(), y.end(), identical);
  }
  if (auto* x = a.get_if<Dict>()) return same_pairs(*x, b.as<Dict>());
  return a == b;
}

std::string show(const Value& value) {
  try {
    return konfig::to_json(value);
  } catch (const konfig::Error&) {
    return value.repr();
  }
}

std::string error_mismatch(const Dict& expected, const konfig::Error& ours) {
  const std::string& error = expected.at("error").as<std::string>();
  const std::string& message = expected.at("message").as<std::string>();
  auto accepted = kinds(error, message);
  if (std::find(accepted.begin(), accepted.end(), ours.kind()) == accepted.end()) {
    return "kind " + std::string(to_string(ours.kind())) + " does not match " + error;
  }
  std::string text = plain_path(ours.what());
  for (const std::string& place : places(message)) {
    if (!contains_word(text, place)) return "our text does not name " + place;
  }
  return "";
}

std::string python_name(konfig::ErrorKind kind) {
  switch (kind) {
    case ErrorKind::key:
      return "KeyError";
    case ErrorKind::type:
      return "TypeError";
    case ErrorKind::index:
      return "IndexError";
    case ErrorKind::value:
    case ErrorKind::required:
      return "ValueError";
    default:
      return std::string(to_string(kind));
  }
}

}  // namespace golden
