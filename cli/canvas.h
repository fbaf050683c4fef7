// What a picture of curves is drawn on: lines and texts, as SVG or as pixels.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/plot.h"

namespace cli {

using Color = std::array<std::uint8_t, 3>;
enum class Anchor { start, middle, end };

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void polyline(const std::vector<Point>& points, Color color, double width) = 0;
  virtual void dot(Point center, Color color, double radius) = 0;
  // `y` is where letters stand.
  virtual void text(double x, double y, std::string_view text, double size, Anchor anchor,
                    Color color) = 0;
  virtual std::string finish() = 0;  // the file
};

std::unique_ptr<Canvas> svg_canvas(int width, int height);
std::unique_ptr<Canvas> png_canvas(int width, int height);

// Panels in two columns, on a canvas that `make` gives.
std::string draw_panels(const std::vector<Panel>& panels, bool log_y,
                        std::unique_ptr<Canvas> (*make)(int width, int height));

}  // namespace cli
