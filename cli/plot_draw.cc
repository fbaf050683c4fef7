// Panels of curves with axes and names, on any canvas.
#include <algorithm>
#include <cmath>

#include "cli/canvas.h"

namespace cli {
namespace {

constexpr int kPanelWidth = 640, kPanelHeight = 400;
constexpr double kLeft = 76, kRight = 28, kTop = 40, kBottom = 44;
constexpr Color kBlack = {40, 40, 40}, kGrid = {225, 225, 225};

// Told apart by people who see colours differently, too (Okabe and Ito, 2008).
constexpr Color kColors[] = {{0, 114, 178}, {213, 94, 0},   {0, 158, 115}, {204, 121, 167},
                             {230, 159, 0}, {86, 180, 233}, {90, 90, 90}};

struct Box {
  double left, top, right, bottom;
  double x(double part) const { return left + part * (right - left); }
  double y(double part) const { return bottom - part * (bottom - top); }
};

void draw_axes(Canvas& canvas, const Box& box, const Axis& x, const Axis& y) {
  for (double mark : x.marks) {
    const double at = box.x(x.place(mark));
    canvas.polyline({{at, box.top}, {at, box.bottom}}, kGrid, 1);
    canvas.text(at, box.bottom + 18, mark_text(mark), 12, Anchor::middle, kBlack);
  }
  for (double mark : y.marks) {
    const double at = box.y(y.place(mark));
    canvas.polyline({{box.left, at}, {box.right, at}}, kGrid, 1);
    canvas.text(box.left - 8, at + 4, mark_text(mark), 12, Anchor::end, kBlack);
  }
  canvas.polyline({{box.left, box.top},
                   {box.left, box.bottom},
                   {box.right, box.bottom},
                   {box.right, box.top},
                   {box.left, box.top}},
                  kBlack, 1);
  canvas.text((box.left + box.right) / 2, box.bottom + 36, "step", 12, Anchor::middle, kBlack);
}

// Gaps where a value is no number, a dot where it stands alone.
void draw_curve(Canvas& canvas, const Box& box, const Axis& x, const Axis& y, const Curve& curve,
                Color color) {
  std::vector<Point> line;
  auto finish = [&] {
    if (line.size() == 1) canvas.dot(line[0], color, 2.5);
    if (line.size() > 1) canvas.polyline(line, color, 1.6);
    line.clear();
  };
  for (const Point& p : curve.points) {
    const Point at{box.x(x.place(p.x)), box.y(y.place(p.y))};
    if (std::isfinite(at.x) && std::isfinite(at.y)) {
      line.push_back(at);
    } else {
      finish();
    }
  }
  finish();
}

// How often curves pass through a part of the box, at many places of each line.
int hits(const Box& box, const Axis& x, const Axis& y, const Panel& panel, const Box& part) {
  constexpr int kPlaces = 16;
  int out = 0;
  for (const Curve& curve : panel.curves) {
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      const Point &a = curve.points[i - 1], &b = curve.points[i];
      for (int k = 0; k <= kPlaces; ++k) {
        const double w = static_cast<double>(k) / kPlaces;
        const double px = box.x((1 - w) * x.place(a.x) + w * x.place(b.x));
        const double py = box.y((1 - w) * y.place(a.y) + w * y.place(b.y));
        out += px >= part.left && px <= part.right && py >= part.top && py <= part.bottom;
      }
    }
  }
  return out;
}

// The names of the curves, in the corner where fewest curves are.
void draw_names(Canvas& canvas, const Box& box, const Axis& x, const Axis& y, const Panel& panel) {
  constexpr double kLine = 16, kLetter = 7.5, kMargin = 8;
  std::size_t longest = 0;
  for (const Curve& curve : panel.curves) longest = std::max(longest, curve.label.size());
  const double width = kLetter * static_cast<double>(longest) + 2 * kMargin;
  const double height = kLine * static_cast<double>(panel.curves.size()) + kMargin;
  const Box corners[] = {{box.right - width, box.top, box.right, box.top + height},
                         {box.right - width, box.bottom - height, box.right, box.bottom},
                         {box.left, box.top, box.left + width, box.top + height},
                         {box.left, box.bottom - height, box.left + width, box.bottom}};
  const Box* best = std::ranges::min_element(
      corners, {}, [&](const Box& corner) { return hits(box, x, y, panel, corner); });
  const bool at_right = best->right == box.right;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    canvas.text(at_right ? best->right - kMargin : best->left + kMargin,
                best->top + kLine * static_cast<double>(i + 1), panel.curves[i].label, 12,
                at_right ? Anchor::end : Anchor::start, kColors[i % std::size(kColors)]);
  }
}

void draw_panel(Canvas& canvas, const Box& frame, const Panel& panel, bool log_y) {
  const Box box{frame.left + kLeft, frame.top + kTop, frame.right - kRight, frame.bottom - kBottom};
  const Axis x = axis_of({panel}, false, false), y = axis_of({panel}, true, log_y);
  canvas.text((box.left + box.right) / 2, frame.top + 24, panel.title, 15, Anchor::middle, kBlack);
  draw_axes(canvas, box, x, y);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    draw_curve(canvas, box, x, y, panel.curves[i], kColors[i % std::size(kColors)]);
  }
  draw_names(canvas, box, x, y, panel);
}

}  // namespace

std::string draw_panels(const std::vector<Panel>& panels, bool log_y,
                        std::unique_ptr<Canvas> (*make)(int width, int height)) {
  const int columns = panels.size() > 1 ? 2 : 1;
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  auto canvas = make(columns * kPanelWidth, rows * kPanelHeight);
  for (int i = 0; i < static_cast<int>(panels.size()); ++i) {
    const int column = i % columns, row = i / columns;
    const double left = column * kPanelWidth, top = row * kPanelHeight;
    draw_panel(*canvas, {left, top, left + kPanelWidth, top + kPanelHeight},
               panels[static_cast<std::size_t>(i)], log_y);
  }
  return canvas->finish();
}

}  // namespace cli
