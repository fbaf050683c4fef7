#include "kxm/argv.h"

#include <algorithm>
#include <cctype>

#include "base/join.h"
#include "base/shell_quote.h"
#include "konfig/load.h"
#include "konfig/scalar_text.h"
#include "konfig/sequence.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

std::string text_of(const Value& value) {
  auto* text = value.get_if<std::string>();
  return shell_quote(text ? *text : value.repr());
}

bool is_flat(const konfig::Sequence& sequence) {
  return std::none_of(sequence.begin(), sequence.end(),
                      [](const Value& v) { return konfig::as_sequence(v) || v.is<Dict>(); });
}

void append(std::vector<std::string>& out, const std::string& key, const Value& value) {
  if (value.is_none()) return;
  if (auto* flag = value.get_if<bool>()) {
    out.push_back((*flag ? "--" : "--no") + key);
  } else if (auto* items = konfig::as_sequence(value); items && is_flat(*items)) {
    for (auto& item : *items) out.push_back("--" + key + "=" + text_of(item));
  } else {
    out.push_back("--" + key + "=" + text_of(value));
  }
}

}  // namespace

void SequentialArgs::add(const Dict& keywords) {
  for (auto& [k, v] : keywords) {
    const std::string& key = k.as<std::string>();
    auto it = std::find_if(items_.begin(), items_.end(),
                           [&](auto& item) { return !key.empty() && item.first == key; });
    if (it != items_.end()) {
      it->second = v;
    } else {
      items_.emplace_back(key, v);
    }
  }
}

void SequentialArgs::add(const Value& part) {
  if (auto* keywords = part.get_if<Dict>()) return add(*keywords);
  if (auto* list = konfig::as_sequence(part)) {
    for (auto& item : *list) items_.emplace_back("", item);
    return;
  }
  throw Error(ErrorKind::value, "arguments are a map or a list, not " + konfig::describe(part) +
                                    "; put a single one into a list: [" + part.repr() + "]");
}

std::vector<std::string> SequentialArgs::to_list() const {
  std::vector<std::string> out;
  for (auto& [key, value] : items_) {
    if (key.empty()) {
      out.push_back(text_of(value));
    } else {
      append(out, key, value);
    }
  }
  return out;
}

std::string shell_quote(std::string_view text) { return base::shell_quote(text); }

namespace {

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

// As bash, zsh and ksh write what a terminal would obey: $'a\nb'.
std::string ansi_quote(std::string_view text) {
  constexpr char kDigits[] = "01234567";
  std::string out = "$'";
  for (const unsigned char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (is_control(c) || c >= 0x80) {
      out += {'\\', kDigits[c >> 6], kDigits[c >> 3 & 7], kDigits[c & 7]};
    } else {
      if (c == '\'' || c == '\\') out += '\\';
      out += static_cast<char>(c);
    }
  }
  return out + "'";
}

}  // namespace

std::string shell_line(const std::vector<std::string>& argv) {
  return base::join(argv, " ", [](const std::string& word) {
    const bool plain = konfig::is_utf8(word) && std::none_of(word.begin(), word.end(), is_control);
    return plain ? shell_quote(word) : ansi_quote(word);
  });
}

void check_env_name(std::string_view name) {
  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  const bool starts = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  if (starts && std::all_of(name.begin(), name.end(), fits)) return;
  throw Error(ErrorKind::value, "env_vars: '" + std::string(name) +
                                    "' is no name of a variable; use letters, digits and _, "
                                    "with no digit first");
}

}  // namespace kxm
