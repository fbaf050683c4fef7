// Colour maps: the tables, and tensors seen through them.
#include "kd/summaries/engine/colormap.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "kd/summaries/colormap_impl.h"
#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::summaries {

namespace {

constexpr std::size_t kColors = std::tuple_size_v<ColorTable>;

int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : 63;
}

// Five bits a letter, low ones first; the sixth says that more follow. The lowest bit is the sign.
int next_number(std::string_view& text) {
  unsigned out = 0;
  for (int shift = 0;; shift += 5) {
    int bits = digit(text.front());
    text.remove_prefix(1);
    out |= static_cast<unsigned>(bits & 31) << shift;
    if (bits < 32) break;
  }
  int size = static_cast<int>(out >> 1);
  return out & 1 ? -size : size;
}

ColorTable unpack(std::string_view text) {
  ColorTable out;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    int before = 0, last = 0;
    for (Rgb& color : out) {
      int now = next_number(text) + 2 * last - before;
      before = std::exchange(last, now);
      color[channel] = now / 1e6;
    }
  }
  return out;
}

// As matplotlib does it: places are compared after scaling to the number of colours.
ColorTable interpolate(const detail::KnottedMap& map) {
  ColorTable out;
  constexpr double last = kColors - 1;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    auto& knots = map.channels[channel];
    out[0][channel] = knots.front().level;
    out[kColors - 1][channel] = knots.back().level;
    std::size_t k = 1;
    for (std::size_t i = 1; i + 1 < kColors; ++i) {
      double at = last * (static_cast<double>(i) / last);
      while (knots[k].at * last < at) ++k;
      double from = knots[k - 1].at * last, to = knots[k].at * last;
      double level = (at - from) / (to - from) * (knots[k].level - knots[k - 1].level);
      out[i][channel] = std::clamp(level + knots[k - 1].level, 0.0, 1.0);
    }
  }
  return out;
}

ColorTable make(const std::string& name) {
  for (auto& map : detail::packed_maps()) {
    if (map.name == name) return unpack(map.data);
  }
  for (auto& map : detail::knotted_maps()) {
    if (map.name == name) return interpolate(map);
  }
  if (name.ends_with("_r")) {
    ColorTable out = colormap(name.substr(0, name.size() - 2));
    std::ranges::reverse(out);
    return out;
  }
  throw konfig::Error(konfig::ErrorKind::value, "there is no colour map '" + name + "'" +
                                                    konfig::did_you_mean(name, colormap_names()));
}

}  // namespace

const ColorTable& colormap(const std::string& name) {
  static std::recursive_mutex mutex;  // a reversed map asks for the other one
  static std::map<std::string, ColorTable> made;
  std::lock_guard lock(mutex);
  auto found = made.find(name);
  if (found == made.end()) found = made.emplace(name, make(name)).first;
  return found->second;
}

std::vector<std::string> colormap_names() {
  std::vector<std::string> out;
  for (auto& map : detail::packed_maps()) out.emplace_back(map.name);
  for (auto& map : detail::knotted_maps()) out.emplace_back(map.name);
  for (std::size_t i = 0, n = out.size(); i < n; ++i) out.push_back(out[i] + "_r");
  return out;
}

Tensor to_rgb(const Tensor& numbers, const std::string& map,
              std::optional<std::pair<double, double>> range) {
  const ColorTable& table = colormap(map);
  Tensor from = numbers.detach().to(at::kCPU, at::kDouble).contiguous();
  const double* value = from.const_data_ptr<double>();
  std::int64_t count = from.numel();
  if (!range) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    range = {inf, -inf};
    for (std::int64_t i = 0; i < count; ++i) {
      if (!std::isfinite(value[i])) continue;
      range->first = std::min(range->first, value[i]);
      range->second = std::max(range->second, value[i]);
    }
  }
  auto sizes = from.sizes().vec();
  sizes.push_back(3);
  Tensor out = at::empty(sizes, at::kDouble);
  double* to = out.mutable_data_ptr<double>();
  // The epsilon, from mediapy, is for images of one colour.
  double width = range->second - range->first + std::numeric_limits<double>::epsilon();
  for (std::int64_t i = 0; i < count; ++i) {
    double place = (value[i] - range->first) / width * kColors;
    Rgb color = {};
    if (!std::isnan(place)) {
      color = table[static_cast<std::size_t>(std::clamp(place, 0.0, kColors - 1.0))];
    }
    std::ranges::copy(color, to + 3 * i);
  }
  return out;
}

}  // namespace kd::summaries
