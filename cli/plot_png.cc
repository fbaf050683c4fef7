// Curves as PNG: drawn three times as large, then made smaller, which smooths the edges.
#include <png.h>

#include <algorithm>
#include <cmath>

#include "cli/canvas.h"
#include "cli/errors.h"
#include "kd/summaries/font.h"

namespace cli {
namespace {

using kd::summaries::Bitmap;
using kd::summaries::draw_text;
using kd::summaries::text_height;
using kd::summaries::text_width;

constexpr int kScale = 3;
constexpr Color kWhite = {255, 255, 255};

class Png : public Canvas {
 public:
  Png(int width, int height)
      : width_(width * kScale),
        height_(height * kScale),
        pixels_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), kWhite) {}

  void polyline(const std::vector<Point>& points, Color color, double width) override {
    for (std::size_t i = 1; i < points.size(); ++i) {
      stroke(points[i - 1], points[i], width * kScale / 2, color);
    }
  }
  void dot(Point center, Color color, double radius) override {
    dab(center.x * kScale, center.y * kScale, radius * kScale, color);
  }
  void text(double x, double y, std::string_view text, double size, Anchor anchor,
            Color color) override {
    const int font = static_cast<int>(std::lround(size * kScale));
    const auto wide = static_cast<double>(text_width(text, font));
    const double shift = anchor == Anchor::start ? 0 : anchor == Anchor::middle ? 0.5 : 1;
    // A quarter of the height reaches below the line of writing.
    const double top = y * kScale - 0.75 * static_cast<double>(text_height(font));
    const auto first_row = std::lround(top), first_column = std::lround(x * kScale - shift * wide);
    // Its strokes are one pixel wide: drawn around each place, they are a pen's.
    for (int pen = 0; pen < kScale * kScale; ++pen) {
      draw_text(Bitmap{pixels_.data(), height_, width_}, first_row + pen / kScale,
                first_column + pen % kScale, text, font, color);
    }
  }

  std::string finish() override {
    const int width = width_ / kScale, height = height_ / kScale;
    std::vector<std::uint8_t> small;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (std::size_t c = 0; c < 3; ++c) small.push_back(mean(x, y, c));
      }
    }
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = 0;
    std::string out;
    // First the size, then the bytes.
    bool good = png_image_write_to_memory(&image, nullptr, &size, 0, small.data(), 0, nullptr);
    out.resize(size);
    good =
        good && png_image_write_to_memory(&image, out.data(), &size, 0, small.data(), 0, nullptr);
    if (!good) throw Failure(std::string("the picture cannot be made: ") + image.message);
    out.resize(size);
    return out;
  }

 private:
  std::uint8_t mean(int x, int y, std::size_t channel) const {
    int sum = 0;
    for (int dy = 0; dy < kScale; ++dy) {
      for (int dx = 0; dx < kScale; ++dx) {
        sum += pixels_[index(x * kScale + dx, y * kScale + dy)][channel];
      }
    }
    return static_cast<std::uint8_t>(sum / (kScale * kScale));
  }
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }
  // All pixels closer than `radius` to the line from a to b.
  void stroke(Point a, Point b, double radius, Color color) {
    for (Point* p : {&a, &b}) p->x *= kScale, p->y *= kScale;
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1.0);
    const int steps = static_cast<int>(std::ceil(length));
    for (int i = 0; i <= steps; ++i) {
      const double part = static_cast<double>(i) / steps;
      dab(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), radius, color);
    }
  }
  void dab(double x, double y, double radius, Color color) {
    const int x0 = std::max(0, static_cast<int>(std::ceil(x - radius)));
    const int y0 = std::max(0, static_cast<int>(std::ceil(y - radius)));
    const int x1 = std::min(width_ - 1, static_cast<int>(std::floor(x + radius)));
    const int y1 = std::min(height_ - 1, static_cast<int>(std::floor(y + radius)));
    for (int py = y0; py <= y1; ++py) {
      for (int px = x0; px <= x1; ++px) {
        if (std::hypot(px - x, py - y) <= radius) pixels_[index(px, py)] = color;
      }
    }
  }

  int width_, height_;
  std::vector<Color> pixels_;
};

}  // namespace

std::unique_ptr<Canvas> png_canvas(int width, int height) {
  return std::make_unique<Png>(width, height);
}

std::string png_of(const std::vector<Panel>& panels, bool log_y) {
  return draw_panels(panels, log_y, png_canvas);
}

}  // namespace cli
