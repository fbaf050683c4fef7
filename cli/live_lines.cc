#include "cli/live_lines.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/terminal.h"

namespace cli {
namespace {

// The first `columns` characters; colour codes take no room and are kept, so that none stays open.
std::string cut(std::string_view text, std::size_t columns) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\x1b') {
      const std::size_t end = std::min(text.find('m', i), text.size() - 1) + 1;
      out += text.substr(i, end - i);
      i = end;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;  // one character in UTF-8
    if (used++ < columns) out += text.substr(i, end - i);
    i = end;
  }
  return out;
}

}  // namespace

LiveLines::LiveLines() : live_(is_terminal(STDERR_FILENO)) {}

void LiveLines::show(const std::vector<std::string>& lines) {
  if (lines == lines_) return;
  lines_ = lines;
  draw({});
}

void LiveLines::print(std::string_view line) {
  if (live_) return draw(line);
  remark(line);
}

void LiveLines::clear() {
  lines_.clear();
  draw({});
}

// In one write, so that it does not flicker.
void LiveLines::draw(std::string_view above) {
  if (!live_) return;
  const TerminalSize size = terminal_size(STDERR_FILENO);
  std::string out;
  if (drawn_ > 0) out += "\x1b[" + std::to_string(drawn_) + "A";  // up
  out += "\r\x1b[J";                                              // all below is gone
  if (!above.empty()) out += std::string(above) + "\n";
  drawn_ = std::min<std::size_t>(lines_.size(), std::max(1, size.rows - 1));
  for (std::size_t i = 0; i < drawn_; ++i) {
    out += cut(lines_[i], static_cast<std::size_t>(size.columns - 1)) + "\n";
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace cli
