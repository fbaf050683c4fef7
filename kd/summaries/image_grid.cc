// ImageGrid: the images of several summaries side by side.
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <charconv>

#include "base/shape_text.h"
#include "kd/metrics/engine/metric.h"
#include "kd/summaries/contrib.h"
#include "kd/summaries/font.h"
#include "kd/summaries/images_impl.h"

namespace kd::summaries::contrib {

using kd::summaries::Bitmap;
using kd::summaries::Pixel;
using konfig::Error;
using konfig::ErrorKind;
using metrics::State;

namespace {

struct Look {
  std::vector<std::string> names = {};
  int border = 0, font_size = 0;
  Pixel background = {}, font = {};
};

[[noreturn]] void fail_color(const std::string& what) {
  throw Error(ErrorKind::value, "ImageGrid: " + what +
                                    " is no colour; use a name, '#102030', three whole numbers up "
                                    "to 255, three numbers up to 1 or one number up to 1");
}

Pixel color_of(const std::string& text) {
  static const std::pair<std::string_view, std::uint32_t> names[] = {
      {"black", 0x000000}, {"white", 0xffffff},  {"red", 0xff0000},     {"green", 0x008000},
      {"blue", 0x0000ff},  {"lime", 0x00ff00},   {"yellow", 0xffff00},  {"cyan", 0x00ffff},
      {"aqua", 0x00ffff},  {"gray", 0x808080},   {"magenta", 0xff00ff}, {"fuchsia", 0xff00ff},
      {"grey", 0x808080},  {"silver", 0xc0c0c0}, {"orange", 0xffa500},  {"purple", 0x800080},
      {"navy", 0x000080},  {"teal", 0x008080},   {"olive", 0x808000},   {"maroon", 0x800000},
      {"brown", 0xa52a2a}, {"pink", 0xffc0cb}};
  std::uint32_t bits = 0;
  auto named = std::ranges::find(names, text, [](auto& entry) { return entry.first; });
  if (named != std::end(names)) {
    bits = named->second;
  } else {
    const char* end = text.data() + text.size();
    bool ok = text.starts_with('#') && std::from_chars(text.data() + 1, end, bits, 16).ptr == end;
    if (!ok || (text.size() != 7 && text.size() != 4)) fail_color("'" + text + "'");
    if (text.size() == 4) {  // #abc is #aabbcc
      bits = (bits >> 8) * 0x110000 + (bits >> 4 & 15) * 0x1100 + (bits & 15) * 0x11;
    }
  }
  auto byte = [&](int shift) { return static_cast<std::uint8_t>(bits >> shift); };
  return {byte(16), byte(8), byte(0)};
}

Pixel color_of(const std::array<int, 3>& color) {
  Pixel out;
  for (std::size_t i = 0; i < 3; ++i) {
    if (color[i] < 0 || color[i] > 255) fail_color(std::to_string(color[i]) + " in a colour");
    out[i] = static_cast<std::uint8_t>(color[i]);
  }
  return out;
}

Pixel color_of(const std::array<double, 3>& color) {
  Pixel out;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(color[i] >= 0 && color[i] <= 1)) fail_color(std::to_string(color[i]) + " in a colour");
    out[i] = static_cast<std::uint8_t>(color[i] * 255);
  }
  return out;
}

Pixel color_of(double white) { return color_of(std::array<double, 3>{white, white, white}); }

Pixel color_of(const Color& color) {
  return std::visit([](auto& value) { return color_of(value); }, color);
}

// Eight bits a channel, cut off, three channels.
Tensor as_bytes(const Tree& tree, const std::string& name) {
  bool is_images = tree.is_tensor() && tree.tensor().dim() == 4 &&
                   (tree.tensor().size(3) == 1 || tree.tensor().size(3) == 3);
  if (!is_images) {
    throw Error(ErrorKind::value,
                "ImageGrid.columns['" + name + "'] gives no images, but " +
                    (tree.is_tensor() ? "shape " + base::shape_text(tree.tensor().sizes())
                                      : std::string(tree.type())));
  }
  Tensor images = tree.tensor();
  if (images.scalar_type() != at::kByte) images = (images * 255.0).clamp(0, 255).to(at::kByte);
  return images.expand({-1, -1, -1, 3}).contiguous();
}

void copy_image(const Tensor& image, const Bitmap& bitmap, std::int64_t top, std::int64_t left) {
  const std::uint8_t* from = image.const_data_ptr<std::uint8_t>();
  for (std::int64_t y = 0; y < image.size(0); ++y) {
    Pixel* to = bitmap.pixels + (top + y) * bitmap.width + left;
    for (std::int64_t x = 0; x < image.size(1); ++x, from += 3) to[x] = {from[0], from[1], from[2]};
  }
}

Tensor render(const std::vector<Tensor>& columns, const Look& look) {
  std::int64_t rows = columns[0].size(0), h = columns[0].size(1), w = columns[0].size(2);
  auto count = static_cast<std::int64_t>(columns.size());
  std::int64_t b = look.border, header = kd::summaries::text_height(look.font_size);
  std::int64_t height = (rows + 2) * b + rows * h + header, width = (count + 1) * b + count * w;
  std::vector<Pixel> pixels(static_cast<std::size_t>(height * width), look.background);
  Bitmap bitmap{pixels.data(), height, width};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string& name = look.names[static_cast<std::size_t>(i)];
    const Tensor& images = columns[static_cast<std::size_t>(i)];
    std::int64_t left = b + i * (w + b);
    std::int64_t room = w - kd::summaries::text_width(name, look.font_size);
    kd::summaries::draw_text(bitmap, b, left + room / 2, name, look.font_size, look.font);
    for (std::int64_t row = 0; row < rows; ++row) {
      copy_image(images[row], bitmap, 2 * b + header + row * (h + b), left);
    }
  }
  return at::from_blob(pixels.data(), {1, height, width, 3}, at::kByte).to(at::kFloat) / 255.0;
}

struct ImageGridState {
  std::vector<State> columns = {};
  Look look = {};

  ImageGridState merge(const ImageGridState& other) const {
    if (columns.empty()) return other;
    ImageGridState out = *this;
    for (std::size_t i = 0; i < other.columns.size(); ++i) {
      out.columns[i] = std::move(out.columns[i]).merge(other.columns[i]);
    }
    return out;
  }
  ImageGridState finalize() const {
    ImageGridState out = *this;
    for (State& column : out.columns) column = column.finalize();
    return out;
  }
  Tree tree() const {
    Tree out = Tree::dict();
    for (std::size_t i = 0; i < columns.size(); ++i) out[look.names[i]] = columns[i].tree();
    return out;
  }
  ImageGridState with_tree(const Tree& tree) const {
    ImageGridState out = *this;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out.columns[i] = columns[i].with_tree(tree[look.names[i]]);
    }
    return out;
  }
  Tensor compute() const {
    if (columns.empty()) throw Error(ErrorKind::value, "ImageGrid: there was nothing to show");
    std::vector<Tensor> images;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      images.push_back(as_bytes(columns[i].compute(), look.names[i]));
      if (images[i].sizes() != images[0].sizes()) {
        throw Error(ErrorKind::value,
                    "ImageGrid: the images of all columns have one size; '" + look.names[0] +
                        "' gives " + base::shape_text(images[0].sizes()) + " and '" +
                        look.names[i] + "' " + base::shape_text(images[i].sizes()));
      }
    }
    return render(images, look);
  }
};

}  // namespace

kontext::KeyPaths ImageGrid::kontext_keys() const {
  kontext::KeyPaths out;
  for (auto& [name, column] : columns) {
    for (auto& [key, path] : metrics::keypaths(column)) {
      out.set(name + "_" + key.as<std::string>(), path);
    }
  }
  return out;
}

State ImageGrid::get_state(const kontext::ResolvedKeys& inputs) const {
  ImageGridState out{.look = {.border = border_width,
                              .font_size = font_size,
                              .background = color_of(bg_color),
                              .font = color_of(font_color)}};
  for (auto& [name, column] : columns) {
    std::vector<std::pair<std::string, kontext::Resolved>> mine;
    for (auto& [key, path] : metrics::keypaths(column)) {
      const auto& inner = key.as<std::string>();
      if (auto* found = inputs.find(name + "_" + inner)) mine.emplace_back(inner, *found);
    }
    out.columns.push_back(metrics::get_state(column, kontext::ResolvedKeys(std::move(mine))));
    out.look.names.push_back(name);
  }
  return out;
}

State ImageGrid::empty() const { return ImageGridState{}; }

}  // namespace kd::summaries::contrib
