// RandAugment: random changes of an image, one after the other.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "kd/data/engine/transform.h"
#include "kd/data/formats.h"
#include "kd/data/transforms/transforms_contrib.h"
#include "kd/io/errors.h"

namespace kd::data::contrib {

namespace {

constexpr double kUsualMagnitude = 10;
constexpr std::uint8_t kGrey = 128;  // where nothing is

// What a change may use.
struct Draw {
  const RandAugment& settings;
  Generator& rng;
  double strength;  // 1 is usual

  double signed_strength(double most) {
    return rng.integers(2) == 0 ? strength * most : -strength * most;
  }
  // 1 leaves the image as it is.
  double factor() const { return strength * 1.8 + 0.1; }
};

struct Image {
  Tensor tensor;  // (h, w, 3)
  std::int64_t height, width;
  std::uint8_t* pixels;

  explicit Image(const Tensor& from)
      : tensor(from.clone(at::MemoryFormat::Contiguous)),
        height(from.size(0)),
        width(from.size(1)),
        pixels(tensor.mutable_data_ptr<std::uint8_t>()) {}
  std::int64_t size() const { return height * width * 3; }
  std::uint8_t* at(std::int64_t y, std::int64_t x) const { return pixels + (y * width + x) * 3; }
};

std::uint8_t clipped(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

template <class Fn>
void each_value(Image& image, const Fn& fn) {
  for (std::int64_t i = 0; i < image.size(); ++i) image.pixels[i] = fn(image.pixels[i]);
}

std::uint8_t blended(double from, double to, double factor) {
  return clipped(from + factor * (to - from));
}

double grey_of(const std::uint8_t* pixel) {
  return std::floor(0.2989 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2] + 0.5);
}

void auto_contrast(Image& image, Draw&) {
  for (int c = 0; c < 3; ++c) {
    std::uint8_t low = 255, high = 0;
    for (std::int64_t i = c; i < image.size(); i += 3) {
      low = std::min(low, image.pixels[i]);
      high = std::max(high, image.pixels[i]);
    }
    if (high <= low) continue;
    for (std::int64_t i = c; i < image.size(); i += 3) {
      image.pixels[i] = clipped(255.0 * (image.pixels[i] - low) / (high - low));
    }
  }
}

void equalize(Image& image, Draw&) {
  for (int c = 0; c < 3; ++c) {
    std::array<std::int64_t, 256> counts = {};
    for (std::int64_t i = c; i < image.size(); i += 3) ++counts[image.pixels[i]];
    const auto last = std::find_if(counts.rbegin(), counts.rend(), [](auto n) { return n > 0; });
    const std::int64_t step = (image.size() / 3 - *last) / 255;
    if (step == 0) continue;
    std::array<std::uint8_t, 256> table;
    std::int64_t below = step / 2;
    for (std::size_t v = 0; v < 256; below += counts[v++]) {
      table[v] = static_cast<std::uint8_t>(std::min<std::int64_t>(below / step, 255));
    }
    for (std::int64_t i = c; i < image.size(); i += 3) image.pixels[i] = table[image.pixels[i]];
  }
}

void invert(Image& image, Draw&) {
  each_value(image, [](std::uint8_t v) { return static_cast<std::uint8_t>(255 - v); });
}

void posterize(Image& image, Draw& draw) {
  const int shift = std::max(8 - static_cast<int>(draw.strength * 4), 0);
  each_value(image, [&](std::uint8_t v) { return static_cast<std::uint8_t>(v >> shift << shift); });
}

void solarize(Image& image, Draw& draw) {
  const int threshold = static_cast<int>(draw.strength * 256);
  each_value(image, [&](std::uint8_t v) {
    return v < threshold ? v : static_cast<std::uint8_t>(255 - v);
  });
}

void solarize_add(Image& image, Draw& draw) {
  const int more = static_cast<int>(draw.strength * 110);
  each_value(image, [&](std::uint8_t v) { return v < 128 ? clipped(v + more) : v; });
}

void color(Image& image, Draw& draw) {
  for (std::int64_t i = 0; i < image.size(); i += 3) {
    const double grey = grey_of(image.pixels + i);
    for (std::int64_t c = 0; c < 3; ++c) {
      image.pixels[i + c] = blended(grey, image.pixels[i + c], draw.factor());
    }
  }
}

// From the mean grey. The reference blends with the number of pixels / 256, whatever they show.
void contrast(Image& image, Draw& draw) {
  double mean = 0;
  for (std::int64_t i = 0; i < image.size(); i += 3) mean += grey_of(image.pixels + i);
  mean = std::floor(mean / (static_cast<double>(image.size()) / 3));
  each_value(image, [&](std::uint8_t v) { return blended(mean, v, draw.factor()); });
}

void brightness(Image& image, Draw& draw) {
  each_value(image, [&](std::uint8_t v) { return blended(0, v, draw.factor()); });
}

// Between the image and a smoothed one; the border stays.
void sharpness(Image& image, Draw& draw) {
  const Image from(image.tensor);
  for (std::int64_t y = 1; y + 1 < image.height; ++y) {
    for (std::int64_t x = 1; x + 1 < image.width; ++x) {
      for (std::int64_t c = 0; c < 3; ++c) {
        double sum = 4.0 * from.at(y, x)[c];
        for (std::int64_t v = -1; v <= 1; ++v) {
          for (std::int64_t u = -1; u <= 1; ++u) sum += from.at(y + v, x + u)[c];
        }
        image.at(y, x)[c] = blended(clipped(sum / 13), from.at(y, x)[c], draw.factor());
      }
    }
  }
}

// The pixel at (x, y) comes from (a x + b y + c, d x + e y + f), the nearest one.
struct Affine {
  double a = 1, b = 0, c = 0, d = 0, e = 1, f = 0;
};
void move(Image& image, const Affine& by) {
  const Image from(image.tensor);
  for (std::int64_t y = 0; y < image.height; ++y) {
    for (std::int64_t x = 0; x < image.width; ++x) {
      const auto u =
          std::lround(by.a * static_cast<double>(x) + by.b * static_cast<double>(y) + by.c);
      const auto v =
          std::lround(by.d * static_cast<double>(x) + by.e * static_cast<double>(y) + by.f);
      const bool inside = u >= 0 && u < image.width && v >= 0 && v < image.height;
      for (std::int64_t c = 0; c < 3; ++c) image.at(y, x)[c] = inside ? from.at(v, u)[c] : kGrey;
    }
  }
}

void rotate(Image& image, Draw& draw) {
  constexpr double kPi = 3.14159265358979323846, kMostDegrees = 30;
  const double angle = draw.signed_strength(kMostDegrees) * kPi / 180;
  const double cos = std::cos(angle), sin = std::sin(angle);
  const double x = static_cast<double>(image.width - 1) / 2,
               y = static_cast<double>(image.height - 1) / 2;
  move(image, {cos, -sin, x - cos * x + sin * y, sin, cos, y - sin * x - cos * y});
}

constexpr double kMostShear = 0.3;
void shear_x(Image& image, Draw& draw) { move(image, {.b = draw.signed_strength(kMostShear)}); }
void shear_y(Image& image, Draw& draw) { move(image, {.d = draw.signed_strength(kMostShear)}); }
void translate_x(Image& image, Draw& draw) {
  move(image, {.c = draw.signed_strength(draw.settings.translate_const)});
}
void translate_y(Image& image, Draw& draw) {
  move(image, {.f = draw.signed_strength(draw.settings.translate_const)});
}

void cutout(Image& image, Draw& draw) {
  const auto half = static_cast<std::int64_t>(draw.strength * draw.settings.cutout_const);
  const auto y =
      static_cast<std::int64_t>(draw.rng.integers(static_cast<std::uint64_t>(image.height)));
  const auto x =
      static_cast<std::int64_t>(draw.rng.integers(static_cast<std::uint64_t>(image.width)));
  for (std::int64_t v = std::max<std::int64_t>(y - half, 0); v < std::min(y + half, image.height);
       ++v) {
    for (std::int64_t u = std::max<std::int64_t>(x - half, 0); u < std::min(x + half, image.width);
         ++u) {
      std::fill_n(image.at(v, u), 3, kGrey);
    }
  }
}

struct Op {
  AugmentOp name;
  void (*run)(Image& image, Draw& draw);
};
constexpr Op kOps[] = {{AugmentOp::AutoContrast, auto_contrast},
                       {AugmentOp::Equalize, equalize},
                       {AugmentOp::Invert, invert},
                       {AugmentOp::Rotate, rotate},
                       {AugmentOp::Posterize, posterize},
                       {AugmentOp::Solarize, solarize},
                       {AugmentOp::Color, color},
                       {AugmentOp::Contrast, contrast},
                       {AugmentOp::Brightness, brightness},
                       {AugmentOp::Sharpness, sharpness},
                       {AugmentOp::ShearX, shear_x},
                       {AugmentOp::ShearY, shear_y},
                       {AugmentOp::TranslateX, translate_x},
                       {AugmentOp::TranslateY, translate_y},
                       {AugmentOp::Cutout, cutout},
                       {AugmentOp::SolarizeAdd, solarize_add}};

}  // namespace

void RandAugment::check() const {
  if (boxes_key) throw Error(ErrorKind::unsupported, "boxes_key: only None is known");
  if (!(magnitude >= 0)) throw Error(ErrorKind::value, "magnitude: it is 0 or more");
}

Tree RandAugment::random_map(Tree record, const Generator& rng) const {
  const ElementKey key = *image_key;
  return map_tensors(key, std::move(record), [&](const Tensor& element) -> Tensor {
    if (element.dim() != 3 || element.size(2) != 3 || element.scalar_type() != at::kByte) {
      throw Error(ErrorKind::type, "the image is uint8 of shape (h, w, 3)");
    }
    std::vector<Op> ops;
    const auto left_out = exclude_ops.value_or(std::vector<AugmentOp>{});
    for (const Op& op : kOps) {
      if (std::ranges::find(left_out, op.name) == left_out.end()) ops.push_back(op);
    }
    Image image(element);
    if (image.size() == 0) return element;
    Generator own = rng;
    for (int layer = 0; layer < num_layers; ++layer) {
      // One of them does nothing, as in the reference.
      const std::uint64_t chosen = own.integers(ops.size() + 1);
      const bool applied = !prob_to_apply || own.uniform() < *prob_to_apply;
      // Only one that varies has an upper end: configs ask for 15.
      const double level = magnitude_std > 0 ? std::clamp(magnitude + magnitude_std * own.normal(),
                                                          0.0, kUsualMagnitude)
                                             : magnitude;
      Draw draw{*this, own, level / kUsualMagnitude};
      if (applied && chosen < ops.size()) ops[chosen].run(image, draw);
    }
    return image.tensor;
  });
}

}  // namespace kd::data::contrib
