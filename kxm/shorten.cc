#include <algorithm>
#include <vector>

#include "kxm/shorten_impl.h"

namespace kxm::detail {
namespace {

// Code points; a byte that is no UTF-8 counts as one.
std::u32string decode(std::string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    std::size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    n = std::min(n, text.size() - i);
    char32_t bytes = 0;  // the bytes themselves: only their number and ASCII matter
    for (std::size_t k = 0; k < n; ++k) {
      bytes = (bytes << 8) | static_cast<unsigned char>(text[i + k]);
    }
    out += bytes;
    i += n;
  }
  return out;
}

std::string encode(std::u32string_view text) {
  std::string out;
  for (char32_t c : text) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      if (c >> shift || shift == 0) out += static_cast<char>((c >> shift) & 0xFF);
    }
  }
  return out;
}

bool blank(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool digit(char32_t c) { return c >= '0' && c <= '9'; }
bool letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c > 0x7F;
}
bool word(char32_t c) { return letter(c) || digit(c); }
bool word_or_mark(char32_t c) {
  return word(c) || std::u32string_view(U"!\"'&.,?").find(c) != std::u32string_view::npos;
}

// The chunks of TextWrapper: blanks, words, and words cut behind hyphens between letters.
class Chunks {
 public:
  explicit Chunks(std::u32string_view text) : text_(text) {
    while (at_ < text_.size()) next();
  }
  std::vector<std::u32string_view> found;

 private:
  char32_t c(std::size_t i) const { return i < text_.size() ? text_[i] : U'\0'; }
  std::size_t dashes(std::size_t i) const {
    std::size_t n = 0;
    while (c(i + n) == '-') ++n;
    return n;
  }
  void take(std::size_t end) {
    found.push_back(text_.substr(at_, end - at_));
    at_ = end;
  }

  void next() {
    std::size_t end = at_;
    if (blank(c(at_))) {
      while (end < text_.size() && blank(c(end))) ++end;
      return take(end);
    }
    if (at_ > 0 && word_or_mark(c(at_ - 1))) {
      const std::size_t n = dashes(at_);
      if (n >= 2 && word(c(at_ + n))) return take(at_ + n);
    }
    for (end = at_ + 1; end < text_.size(); ++end) {
      if (blank(c(end))) break;
      if (c(end) == '-' && hyphen_ends(end)) return take(end + 1);
      if (word_or_mark(c(end - 1)) && dashes(end) >= 2 && word(c(end + dashes(end)))) break;
    }
    take(end);
  }
  // "ab-cd", "a-b-cd": two letters before, or letter-hyphen-letter; letters behind.
  bool hyphen_ends(std::size_t i) const {
    const bool two = i >= 2 && letter(c(i - 1)) && letter(c(i - 2));
    const bool between = i >= 3 && letter(c(i - 1)) && c(i - 2) == '-' && letter(c(i - 3));
    if (!two && !between) return false;
    const std::size_t second = c(i + 2) == '-' ? i + 3 : i + 2;
    return letter(c(i + 1)) && letter(c(second));
  }

  std::u32string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string shorten_words(std::string_view text, std::size_t width) {
  std::u32string all;
  for (char32_t c : decode(text)) {
    if (!blank(c)) {
      all += c;
    } else if (!all.empty() && all.back() != ' ') {
      all += ' ';
    }
  }
  if (!all.empty() && all.back() == ' ') all.pop_back();
  if (all.size() <= width) return encode(all);

  auto chunks = Chunks(all).found;
  std::vector<std::u32string_view> line;
  std::size_t length = 0, used = 0;
  for (; used < chunks.size() && length + chunks[used].size() <= width; ++used) {
    line.push_back(chunks[used]);
    length += chunks[used].size();
  }
  if (used < chunks.size() && chunks[used].size() > width) {
    const std::size_t room = width - length;
    std::size_t end = room;
    const auto hyphen = chunks[used].substr(0, room).rfind(U'-');
    if (hyphen != std::u32string_view::npos && hyphen > 0 &&
        chunks[used].substr(0, hyphen).find_first_not_of(U'-') != std::u32string_view::npos) {
      end = hyphen + 1;
    }
    if (end > 0) line.push_back(chunks[used].substr(0, end)), length += end;
  }
  constexpr std::size_t kDots = 3;
  while (!line.empty() && (line.back() == U" " || length + kDots > width)) {
    length -= line.back().size();
    line.pop_back();
  }
  std::string out;
  for (auto& chunk : line) out += encode(chunk);
  return out + "...";
}

}  // namespace kxm::detail
