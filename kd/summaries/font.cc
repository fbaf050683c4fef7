// A small font of strokes: points on a grid of 5 by 9, joined by lines.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kd/summaries/font.h"

namespace kd::summaries {

namespace {

// The characters from ! to ~. Two digits are a point, column and row; the line of writing is row 6.
// A bar starts a new stroke.
constexpr std::string_view kStrokes[] = {"2024|2626",
                                         "1011|3031",
                                         "1016|3036|0242|0444",
                                         "4111021333443505|2026",
                                         "0101|0640|4545",
                                         "4611203104051643",
                                         "2021",
                                         "30121436",
                                         "10323416",
                                         "2125|0244|4204",
                                         "2125|0343",
                                         "252617",
                                         "1333",
                                         "2626",
                                         "0640",
                                         "103041453616050110|4105",
                                         "112026|1636",
                                         "01103041420646",
                                         "01103041423323|334445361605",
                                         "36300444",
                                         "400003334445361605",
                                         "4130100105163645443303",
                                         "00404126",
                                         "103041423313020110|1304051636454433",
                                         "0516364541301001021343",
                                         "2222|2525",
                                         "2222|252617",
                                         "410345",
                                         "0242|0444",
                                         "014305",
                                         "0110304124|2626",
                                         "35242332344341301001051646",
                                         "0602204246|0444",
                                         "003041423303|334445360600",
                                         "4130100105163645",
                                         "00304145360600",
                                         "40000646|0333",
                                         "400006|0333",
                                         "41301001051636454323",
                                         "0006|4046|0343",
                                         "1030|2026|1636",
                                         "4045361605",
                                         "0006|400346",
                                         "000646",
                                         "0600224046",
                                         "06004640",
                                         "103041453616050110",
                                         "06003041423303",
                                         "103041453616050110|2446",
                                         "06003041423303|2346",
                                         "413010010213334445361605",
                                         "0040|2026",
                                         "000516364540",
                                         "0002264240",
                                         "0006244640",
                                         "0046|4006",
                                         "002340|2326",
                                         "00400646",
                                         "30101636",
                                         "0046",
                                         "10303616",
                                         "022042",
                                         "0747",
                                         "1021",
                                         "1232434616051444",
                                         "00063645433202",
                                         "4332120305163645",
                                         "40461605031242",
                                         "044443321203051636",
                                         "40302126|1333",
                                         "421203051646|4247381807",
                                         "0006|0312324346",
                                         "2020|122226|1636",
                                         "3030|223237281807",
                                         "0006|320436",
                                         "102026|1636",
                                         "0602122326|23324346",
                                         "0602|0312324346",
                                         "123243453616050312",
                                         "08023243453606",
                                         "48421203051646",
                                         "0206|03123243",
                                         "4212031434453606",
                                         "1015263645|0232",
                                         "0205163645|4246",
                                         "022642",
                                         "0206244642",
                                         "0246|4206",
                                         "02051646|4247381807",
                                         "02420646",
                                         "30212213242536",
                                         "2027",
                                         "10212233242516",
                                         "03123443"};
constexpr std::string_view kUnknown = "0040460600";  // a box
constexpr int kAdvance = 6, kDepth = 8;              // columns to the next letter; last row

std::string_view strokes_of(char c) {
  if (c == ' ') return {};
  return c > ' ' && c <= '~' ? kStrokes[c - '!'] : kUnknown;
}

struct Point {
  double x, y;
};

void set(const Bitmap& bitmap, Point at, Pixel color) {
  auto column = std::lround(at.x), row = std::lround(at.y);
  if (column < 0 || column >= bitmap.width || row < 0 || row >= bitmap.height) return;
  bitmap.pixels[row * bitmap.width + column] = color;
}

void draw_line(const Bitmap& bitmap, Point from, Point to, Pixel color) {
  int steps =
      static_cast<int>(std::ceil(std::max(std::abs(to.x - from.x), std::abs(to.y - from.y))));
  for (int i = 0; i <= steps; ++i) {
    double part = steps ? static_cast<double>(i) / steps : 0;
    set(bitmap, {from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)}, color);
  }
}

double scale_of(int font_size) { return font_size / static_cast<double>(kDepth); }

}  // namespace

std::int64_t text_height(int font_size) { return std::lround(kDepth * scale_of(font_size)) + 1; }

std::int64_t text_width(std::string_view text, int font_size) {
  if (text.empty()) return 0;
  double columns = kAdvance * static_cast<double>(text.size()) - 1;
  return std::lround(columns * scale_of(font_size));
}

void draw_text(const Bitmap& bitmap, std::int64_t top, std::int64_t left, std::string_view text,
               int font_size, Pixel color) {
  double scale = scale_of(font_size), x = static_cast<double>(left);
  for (char c : text) {
    std::string_view points = strokes_of(c);
    bool started = false;
    Point last = {};
    while (!points.empty()) {
      if (points.front() == '|') {
        points.remove_prefix(1);
        started = false;
        continue;
      }
      Point next = {x + scale * (points[0] - '0'),
                    static_cast<double>(top) + scale * (points[1] - '0')};
      draw_line(bitmap, started ? last : next, next, color);
      last = next;
      started = true;
      points.remove_prefix(2);
    }
    x += kAdvance * scale;
  }
}

}  // namespace kd::summaries
