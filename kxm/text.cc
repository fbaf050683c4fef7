// Small texts of the records.
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "konfig/error.h"
#include "konfig/scalar_text.h"
#include "kxm/text_impl.h"

namespace kxm {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr char kDigits[] = "0123456789abcdef";

std::string hex(std::string_view bytes) {
  std::string out;
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string from_hex(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const auto high = std::string_view(kDigits).find(digits[i]);
    const auto low = std::string_view(kDigits).find(digits[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) {
      throw Error(ErrorKind::value, "not hexadecimal: '" + std::string(digits) + "'");
    }
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

}  // namespace

std::string host() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == 0) return "localhost";
  return name.data();
}

std::string new_token() {
  std::array<char, 16> bytes;
  std::size_t have = 0;
  while (have < bytes.size()) {
    const auto n = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (n < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "getrandom");
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  return hex({bytes.data(), bytes.size()});
}

Value record_text(std::string_view text) {
  if (konfig::is_utf8(text)) return text;
  return konfig::Dict{{"hex", hex(text)}};
}

std::string text_of(const Value& value) {
  if (auto* dict = value.get_if<konfig::Dict>()) return from_hex(dict->at("hex").as<std::string>());
  return value.as<std::string>();
}

namespace {

// ASCII that JSON writes as it is: nearly all that is recorded.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

}  // namespace

void append_text(std::string& json, std::string_view text) {
  if (is_plain(text)) {
    json += '"';
    json += text;
    json += '"';
    return;
  }
  if (!konfig::is_utf8(text)) {
    json += "{\"hex\": \"" + hex(text) + "\"}";
    return;
  }
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += "\\u00";
      json += kDigits[static_cast<unsigned char>(c) >> 4];
      json += kDigits[static_cast<unsigned char>(c) & 15];
    } else {
      json += c;
    }
  }
  json += '"';
}

void append_texts(std::string& json, const std::vector<std::string>& texts) {
  json += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) json += ", ";
    append_text(json, texts[i]);
  }
  json += ']';
}

}  // namespace kxm
