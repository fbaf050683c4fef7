// Curves as SVG.
#include <fmt/format.h>

#include "cli/canvas.h"

namespace cli {
namespace {

std::string hex(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return out;
}

class Svg : public Canvas {
 public:
  Svg(int width, int height)
      : out_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                         "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\">\n"
                         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                         width, height)) {}

  void polyline(const std::vector<Point>& points, Color color, double width) override {
    out_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" points=\"",
                        hex(color), width);
    for (const Point& p : points) out_ += fmt::format("{:.1f},{:.1f} ", p.x, p.y);
    out_.back() = '"';
    out_ += "/>\n";
  }
  void dot(Point center, Color color, double radius) override {
    out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", center.x,
                        center.y, radius, hex(color));
  }
  void text(double x, double y, std::string_view text, double size, Anchor anchor,
            Color color) override {
    constexpr const char* kAnchors[] = {"start", "middle", "end"};
    out_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}"
        "</text>\n",
        x, y, size, kAnchors[static_cast<int>(anchor)], hex(color), escaped(text));
  }
  std::string finish() override { return std::move(out_) + "</svg>\n"; }

 private:
  std::string out_;
};

}  // namespace

std::unique_ptr<Canvas> svg_canvas(int width, int height) {
  return std::make_unique<Svg>(width, height);
}

std::string svg_of(const std::vector<Panel>& panels, bool log_y) {
  return draw_panels(panels, log_y, svg_canvas);
}

}  // namespace cli
