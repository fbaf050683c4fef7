// Conversions between sRGB and OKLab, by way of XYZ.
#include "kd/summaries/oklab.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kd::summaries {

namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

// sRGB primaries and a D65 white, as the reference's image library rounds them.
constexpr Matrix kXyzFromRgb = {{{0.412453, 0.357580, 0.180423},
                                 {0.212671, 0.715160, 0.072169},
                                 {0.019334, 0.119193, 0.950227}}};
// XYZ to the responses of the eye's cones, and their cube roots to OKLab.
constexpr Matrix kConesFromXyz = {{{0.8189330101, 0.3618667424, -0.1288597137},
                                   {0.0329845436, 0.9293118715, 0.0361456387},
                                   {0.0482003018, 0.2643662691, 0.6338517070}}};
constexpr Matrix kLabFromRoots = {{{0.2104542553, 0.7936177850, -0.0040720468},
                                   {1.9779984951, -2.4285922050, 0.4505937099},
                                   {0.0259040371, 0.7827717662, -0.8086757660}}};

constexpr Vector times(const Matrix& m, const Vector& v) {
  Vector out = {};
  for (int i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

constexpr Matrix inverse(const Matrix& m) {
  auto minor = [&](int row, int column) {
    int r = (row + 1) % 3, s = (row + 2) % 3, c = (column + 1) % 3, d = (column + 2) % 3;
    return m[r][c] * m[s][d] - m[r][d] * m[s][c];
  };
  double determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
  Matrix out = {};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out[i][k] = minor(k, i) / determinant;
  }
  return out;
}

constexpr Matrix kRgbFromXyz = inverse(kXyzFromRgb);
constexpr Matrix kXyzFromCones = inverse(kConesFromXyz);
constexpr Matrix kRootsFromLab = inverse(kLabFromRoots);

double to_linear(double x) { return x > 0.04045 ? std::pow((x + 0.055) / 1.055, 2.4) : x / 12.92; }
double from_linear(double x) {
  double out = x > 0.0031308 ? 1.055 * std::pow(x, 1 / 2.4) - 0.055 : x * 12.92;
  return std::clamp(out, 0.0, 1.0);
}

}  // namespace

Lab oklab_from_rgb(const Rgb& rgb) {
  Vector linear = {to_linear(rgb[0]), to_linear(rgb[1]), to_linear(rgb[2])};
  Vector cones = times(kConesFromXyz, times(kXyzFromRgb, linear));
  return times(kLabFromRoots, {std::cbrt(cones[0]), std::cbrt(cones[1]), std::cbrt(cones[2])});
}

Rgb rgb_from_oklab(const Lab& lab) {
  Vector cones = times(kRootsFromLab, lab);
  for (double& x : cones) x = x * x * x;
  Vector linear = times(kRgbFromXyz, times(kXyzFromCones, cones));
  return {from_linear(linear[0]), from_linear(linear[1]), from_linear(linear[2])};
}

std::vector<Rgb> even_palette(int count) {
  constexpr double kLightness = 0.8, kChroma = 0.3, kBlue = 1.5 * std::numbers::pi;
  std::vector<Rgb> out;
  for (int i = 0; i < count; ++i) {
    double hue = kBlue + 2 * std::numbers::pi * i / count;
    out.push_back(rgb_from_oklab({kLightness, kChroma * std::cos(hue), kChroma * std::sin(hue)}));
  }
  return out;
}

}  // namespace kd::summaries
