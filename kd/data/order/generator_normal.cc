// Normal draws by the ziggurat of Marsaglia and Tsang (2000), with numpy's 256 layers.
#include <cmath>

#include "kd/data/order/generator.h"

namespace kd::data {

namespace {

constexpr int kLayers = 256;
constexpr double kEdge = 3.6541528853610087963519472518;  // where the tail begins
constexpr double kInverseEdge = 0.27366123732975827203338247596;
constexpr double kArea = 0x1.43016a5a4372ep-8;  // of each layer

// The table, in the arithmetic that numpy's was made with: to get its numbers to the last bit, each
// operation is rounded to a double, exp and log to the nearest one.
// x = draw * width; accepted at once when the draw is below `inside`.
struct Ziggurat {
  std::uint64_t inside[kLayers];
  double width[kLayers];
  double density[kLayers];

  Ziggurat() {
    constexpr double kScale = 0x1p52;
    // Halfway between two doubles, to 0.002: numpy's table has the upper one.
    constexpr int kHalfway = 38;
    auto f = [](double x) { return static_cast<double>(std::exp(-0.5L * (x * x))); };
    auto inverse = [](double y) {
      return std::sqrt(-2 * static_cast<double>(std::log(static_cast<long double>(y))));
    };
    double outer = kEdge;
    density[0] = 1;
    density[kLayers - 1] = f(outer);
    inside[0] = static_cast<std::uint64_t>(outer * density[kLayers - 1] / kArea * kScale);
    inside[1] = 0;
    width[0] = kArea / density[kLayers - 1] / kScale;
    width[kLayers - 1] = outer / kScale;
    for (int i = kLayers - 2; i > 0; --i) {
      const double x = inverse(kArea / outer + density[i + 1]);
      inside[i + 1] = static_cast<std::uint64_t>(x / outer * kScale);
      width[i] = x / kScale;
      density[i] = i == kHalfway ? std::nextafter(f(x), 1.0) : f(x);
      outer = x;
    }
  }
};

}  // namespace

double Generator::normal() {
  static const Ziggurat ziggurat;
  while (true) {
    std::uint64_t bits = bits64();
    const auto layer = static_cast<int>(bits & 0xFF);
    bits >>= 8;
    const bool negative = bits & 1;
    const std::uint64_t draw = bits >> 1 & 0xFFFFFFFFFFFFF;
    const double size = static_cast<double>(draw) * ziggurat.width[layer];
    const double x = negative ? -size : size;
    if (draw < ziggurat.inside[layer]) return x;
    if (layer > 0) {
      const double low = ziggurat.density[layer], high = ziggurat.density[layer - 1];
      if ((high - low) * uniform() + low < std::exp(-0.5 * x * x)) return x;
      continue;
    }
    while (true) {  // the tail
      const double beyond = -kInverseEdge * std::log1p(-uniform());
      const double y = -std::log1p(-uniform());
      if (y + y > beyond * beyond) return draw >> 8 & 1 ? -(kEdge + beyond) : kEdge + beyond;
    }
  }
}

}  // namespace kd::data
