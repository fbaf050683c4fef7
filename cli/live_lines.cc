#include "cli/live_lines.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/terminal.h"

namespace cli {
namespace {

struct Cut {
  std::string text;
  std::size_t width = 0;
};

// The first `columns` characters; colour codes take no room and are kept, so that none stays open.
Cut cut(std::string_view text, std::size_t columns) {
  Cut out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\x1b') {
      const std::size_t end = std::min(text.find('m', i), text.size() - 1) + 1;
      out.text += text.substr(i, end - i);
      i = end;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;  // one character in UTF-8
    if (out.width < columns) {
      out.text += text.substr(i, end - i);
      ++out.width;
    }
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
  if (live_) draw(line);
  if (!live_) remark(line);
}

void LiveLines::clear() {
  lines_.clear();
  draw({});
}

// A terminal that became narrower has wrapped them.
std::size_t LiveLines::rows_drawn(int columns) const {
  const auto width = static_cast<std::size_t>(std::max(1, columns));
  std::size_t out = 0;
  for (const std::size_t line : drawn_) out += std::max<std::size_t>(1, (line + width - 1) / width);
  return out;
}

// In one write, so that it does not flicker.
void LiveLines::draw(std::string_view above) {
  live_ = live_ && ::isatty(STDERR_FILENO) == 1;  // it may be a log by now: its window was closed
  if (!live_) return;
  const TerminalSize size = terminal_size(STDERR_FILENO);
  std::string out;
  if (!drawn_.empty()) out += "\x1b[" + std::to_string(rows_drawn(size.columns)) + "A";  // up
  out += "\r\x1b[J";  // all below is gone
  if (!above.empty()) out += std::string(above) + "\n";
  drawn_.clear();
  for (const std::string& line : lines_) {
    if (static_cast<int>(drawn_.size()) >= std::max(1, size.rows - 1)) break;
    const Cut shown = cut(line, static_cast<std::size_t>(std::max(1, size.columns - 1)));
    out += shown.text + "\n";
    drawn_.push_back(shown.width);
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace cli
