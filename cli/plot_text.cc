// Curves in the terminal, drawn with Braille characters: two by four dots each.
#include <algorithm>
#include <cmath>

#include "cli/plot.h"
#include "cli/terminal.h"

namespace cli {
namespace {

constexpr int kRows = 12;  // of characters, for each panel

// One of the dots of a character, as Unicode numbers them.
unsigned dot(int x, int y) {
  constexpr unsigned kDots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  return kDots[y][x];
}

std::string utf8(unsigned code) {
  return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

class Screen {
 public:
  Screen(int columns, int rows)
      : columns_(columns),
        rows_(rows),
        dots_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)),
        owner_(dots_.size(), -1) {}

  int width() const { return columns_ * 2; }
  int height() const { return rows_ * 4; }
  void set(int x, int y, int curve) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    const auto at = cell(y / 4, x / 2);
    dots_[at] |= dot(x % 2, y % 4);
    owner_[at] = curve;
  }
  void line(int x0, int y0, int x1, int y1, int curve) {
    const int n = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= n; ++i) set(x0 + (x1 - x0) * i / n, y0 + (y1 - y0) * i / n, curve);
  }
  std::string row(int r, bool many) const {
    std::string out;
    for (int c = 0; c < columns_; ++c) {
      const auto at = cell(r, c);
      const std::string text = dots_[at] ? utf8(0x2800 + dots_[at]) : " ";
      out += many && owner_[at] >= 0 ? in_color(owner_[at], text) : text;
    }
    return out;
  }
  static std::string in_color(int curve, const std::string& text) {
    constexpr Ink kInks[] = {Ink::bold, Ink::green, Ink::red, Ink::dim};
    return ink_out(kInks[curve % 4], text);
  }

 private:
  std::size_t cell(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }

  int columns_, rows_;
  std::vector<unsigned> dots_;
  std::vector<int> owner_;
};

std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

void draw(Screen& screen, const Panel& panel, const Axis& x, const Axis& y) {
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    bool joined = false;
    int last_x = 0, last_y = 0;
    for (const Point& p : panel.curves[i].points) {
      const double px = x.place(p.x), py = y.place(p.y);
      if (!std::isfinite(px) || !std::isfinite(py)) {
        joined = false;
        continue;
      }
      const int cx = static_cast<int>(std::lround(px * (screen.width() - 1)));
      const int cy = static_cast<int>(std::lround((1 - py) * (screen.height() - 1)));
      if (joined) {
        screen.line(last_x, last_y, cx, cy, static_cast<int>(i));
      } else {
        screen.set(cx, cy, static_cast<int>(i));
      }
      joined = true;
      last_x = cx, last_y = cy;
    }
  }
}

}  // namespace

std::string text_of(const std::vector<Panel>& panels, bool log_y, int width) {
  std::string out;
  for (const Panel& panel : panels) {
    const Axis x = axis_of({panel}, false, false), y = axis_of({panel}, true, log_y);
    const std::string high = mark_text(y.high), low = mark_text(y.low);
    const std::size_t margin = std::max(high.size(), low.size());
    const int columns = std::max(20, width - static_cast<int>(margin) - 3);
    Screen screen(columns, kRows);
    draw(screen, panel, x, y);
    out += panel.title + ":";
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const Curve& curve = panel.curves[i];
      const std::string last =
          curve.points.empty() ? "" : " (" + mark_text(curve.points.back().y) + ")";
      out += (i ? ", " : " ") + Screen::in_color(static_cast<int>(i), curve.label) + last;
    }
    out += "\n";
    const bool many = panel.curves.size() > 1;
    for (int r = 0; r < kRows; ++r) {
      out += right(r == 0           ? high
                   : r + 1 == kRows ? low
                                    : "",
                   margin) +
             " \u2502" + screen.row(r, many) + "\n";
    }
    const std::string from = mark_text(x.low), to = "step " + mark_text(x.high);
    out += std::string(margin + 2, ' ') + from +
           right(to, static_cast<std::size_t>(columns) - from.size()) + "\n\n";
  }
  return out;
}

}  // namespace cli
