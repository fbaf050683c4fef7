// Colours in OKLab, where equal distances look equal. B. Ottosson, 2020.
#pragma once

#include <array>
#include <vector>

namespace kd::summaries {

using Rgb = std::array<double, 3>;  // sRGB, from 0 to 1
using Lab = std::array<double, 3>;  // lightness, green to red, blue to yellow

Lab oklab_from_rgb(const Rgb& rgb);
Rgb rgb_from_oklab(const Lab& lab);  // cut to what can be shown

// Colours of equal lightness and saturation, with hues at equal distances from blue on.
std::vector<Rgb> even_palette(int count);

}  // namespace kd::summaries
