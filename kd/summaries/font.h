// Short texts as pixels, for headers in images.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kd::summaries {

using Pixel = std::array<std::uint8_t, 3>;  // red, green, blue

// Where a text is drawn: rows of `width` pixels.
struct Bitmap {
  Pixel* pixels;
  std::int64_t height, width;
};

// In pixels, with what reaches below the line.
std::int64_t text_height(int font_size);
std::int64_t text_width(std::string_view text, int font_size);
// From its upper left corner; what does not fit is cut off.
void draw_text(const Bitmap& bitmap, std::int64_t top, std::int64_t left, std::string_view text,
               int font_size, Pixel color);

}  // namespace kd::summaries
