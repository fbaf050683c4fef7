#include "cli/inline_picture.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/terminal.h"

namespace cli {

namespace {

using kd::inspect::Picture;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string kitty_text(const Picture& picture) {
  constexpr std::size_t kPiece = 4096;  // the most that one command may have
  const std::string data = base64(picture.png);
  std::string out;
  for (std::size_t at = 0; at < data.size(); at += kPiece) {
    const bool more = at + kPiece < data.size();
    out += at == 0 ? "\x1b_Gf=100,a=T,m=" : "\x1b_Gm=";
    out += (more ? "1;" : "0;") + data.substr(at, kPiece) + "\x1b\\";
  }
  return out + "\n";
}

std::string iterm_text(const Picture& picture) {
  return "\x1b]1337;File=inline=1;size=" + std::to_string(picture.png.size()) + ":" +
         base64(picture.png) + "\a\n";
}

// The upper half of a character in one colour, the lower in another. Pixels are means of those they
// cover.
std::string block_text(const Picture& picture) {
  const std::int64_t width =
      std::min<std::int64_t>(picture.width, terminal_size(STDOUT_FILENO).columns);
  const std::int64_t height = std::max<std::int64_t>(picture.height * width / picture.width, 1);
  auto colour = [&](std::int64_t y, std::int64_t x) {
    const std::int64_t top = y * picture.height / height, left = x * picture.width / width;
    const std::int64_t bottom = std::max(top + 1, (y + 1) * picture.height / height);
    const std::int64_t right = std::max(left + 1, (x + 1) * picture.width / width);
    std::array<std::int64_t, 3> sum = {};
    for (std::int64_t v = top; v < bottom; ++v) {
      for (std::int64_t u = left; u < right; ++u) {
        for (std::int64_t c = 0; c < 3; ++c) {
          const auto at = static_cast<std::size_t>((v * picture.width + u) * 3 + c);
          sum[static_cast<std::size_t>(c)] += static_cast<unsigned char>(picture.rgb[at]);
        }
      }
    }
    std::string out;
    for (std::int64_t part : sum) {
      out += ";" + std::to_string(part / ((bottom - top) * (right - left)));
    }
    return out;
  };
  std::string out;
  for (std::int64_t y = 0; y < height; y += 2) {
    for (std::int64_t x = 0; x < width; ++x) {
      out += "\x1b[38;2" + colour(y, x);
      if (y + 1 < height) out += ";48;2" + colour(y + 1, x);
      out += "m\u2580";
    }
    out += "\x1b[0m\n";
  }
  return out;
}

}  // namespace

InlineImages inline_images() {
  if (::isatty(STDOUT_FILENO) != 1) return InlineImages::none;
  const std::string_view term = variable("TERM"), program = variable("TERM_PROGRAM");
  if (term.empty() || term == "dumb" || !variable("NO_COLOR").empty()) return InlineImages::none;
  // A multiplexer would swallow the protocols.
  const bool inside = term.starts_with("screen") || term.starts_with("tmux");
  if (!inside) {
    if (term == "xterm-kitty" || term == "xterm-ghostty" || !variable("KITTY_WINDOW_ID").empty()) {
      return InlineImages::kitty;
    }
    const bool iterm = program == "iTerm.app" || program == "WezTerm" || program == "vscode" ||
                       !variable("KONSOLE_VERSION").empty();
    if (iterm) return InlineImages::iterm;
  }
  const std::string_view colours = variable("COLORTERM");
  return colours == "truecolor" || colours == "24bit" ? InlineImages::blocks : InlineImages::none;
}

std::string inline_text(const Picture& picture, InlineImages how) {
  switch (how) {
    case InlineImages::kitty:
      return kitty_text(picture);
    case InlineImages::iterm:
      return iterm_text(picture);
    case InlineImages::blocks:
      return block_text(picture);
    case InlineImages::none:
      break;
  }
  return "";
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace cli
