// Small texts of the records.
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "konfig/error.h"
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

// How many bytes the character at the front takes; 0: it is not UTF-8. Overlong forms and
// surrogates count as none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

double now() {
  using std::chrono::duration;
  return duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

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
  if (is_utf8(text)) return text;
  return konfig::Dict{{"hex", hex(text)}};
}

std::string text_of(const Value& value) {
  if (auto* dict = value.get_if<konfig::Dict>()) return from_hex(dict->at("hex").as<std::string>());
  return value.as<std::string>();
}

void append_text(std::string& json, std::string_view text) {
  if (!is_utf8(text)) {
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

}  // namespace kxm
