#include "cli/shown.h"

#include <algorithm>

#include "cli/text.h"

namespace cli {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kNormal = "\x1b[0m";

// The character at the front, in UTF-8 that is valid.
std::string_view first_of(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (text[size] & 0xc0) == 0x80) ++size;
  return text.substr(0, size);
}

// Its number, if it is a control character or changes the direction of writing; else 0xFFFF.
unsigned control_of(std::string_view c) {
  constexpr unsigned kNone = 0xFFFF;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(c[i]); };
  if (c.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f ? byte(0) : kNone;
  if (c.size() == 2) {
    const unsigned code = (byte(0) & 0x1fu) << 6 | (byte(1) & 0x3fu);
    return code < 0xa0 ? code : kNone;
  }
  if (c.size() != 3) return kNone;
  const unsigned code = (byte(0) & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
  const bool turns = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return turns ? code : kNone;
}

std::string escape_of(unsigned code) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  std::string out = code > 0xff ? "\\u" : "\\x";
  for (int shift = code > 0xff ? 12 : 4; shift >= 0; shift -= 4) out += kDigits[code >> shift & 15];
  return out;
}

// How long the control sequence at the front is: "\x1b[2J", "\x1b]0;title\a", "\x1bc".
std::size_t sequence_size(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    const auto last =
        std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= '@' && c <= '~'; });
    return static_cast<std::size_t>(last - text.begin()) + (last == text.end() ? 0 : 1);
  }
  if (text[1] == ']' || text[1] == 'P' || text[1] == '_' || text[1] == '^') {
    const auto bell = text.find('\a'), end = text.find("\x1b\\", 2);
    if (bell < end) return bell + 1;
    return end == text.npos ? text.size() : end + 2;
  }
  return 2;
}

}  // namespace

std::string shown(std::string_view text, std::string_view keep) {
  const std::string valid = valid_utf8(text);
  std::string out;
  for (std::string_view rest = valid; !rest.empty();) {
    const std::string_view c = first_of(rest);
    rest.remove_prefix(c.size());
    const unsigned code = control_of(c);
    const bool plain = code == 0xFFFF || (c.size() == 1 && keep.find(c[0]) != keep.npos);
    out += plain ? std::string(c) : escape_of(code);
  }
  return out;
}

std::string shown_line(std::string_view line, bool colours) {
  const std::string valid = valid_utf8(line);
  std::string out;
  bool coloured = false;
  for (std::string_view rest = valid; !rest.empty();) {
    if (rest[0] == kEscape) {
      const std::string_view sequence = rest.substr(0, sequence_size(rest));
      rest.remove_prefix(sequence.size());
      if (!colours || !sequence.starts_with("\x1b[") || !sequence.ends_with('m')) continue;
      out += sequence;
      coloured = true;
      continue;
    }
    const std::string_view c = first_of(rest);
    rest.remove_prefix(c.size());
    if (c == "\t" || control_of(c) == 0xFFFF) out += c;
  }
  if (coloured && !out.ends_with(kNormal)) out += kNormal;
  return out;
}

}  // namespace cli
