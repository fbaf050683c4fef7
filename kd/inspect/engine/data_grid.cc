// Images and labels of a batch as one picture.
#include "kd/inspect/engine/data_grid.h"

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/join.h"
#include "kd/data/engine/batch.h"
#include "kd/io/image.h"
#include "kd/summaries/font.h"
#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::inspect {

using konfig::Error;
using konfig::ErrorKind;
using summaries::Bitmap;
using summaries::Pixel;

namespace {

constexpr std::int64_t kBorder = 4, kLeastSide = 64;
constexpr int kFontSize = 11;
constexpr Pixel kBackground = {24, 24, 24}, kInk = {235, 235, 235};

bool has_images(const Tree& element) {
  if (!element.is_tensor() || element.tensor().dim() != 4) return false;
  const std::int64_t channels = element.tensor().size(3);
  return channels == 1 || channels == 3 || channels == 4;
}

std::vector<std::string> names_of(const Tree& batch) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < batch.size(); ++i) out.push_back(batch.name(i));
  return out;
}

std::string image_key(const Tree& batch, const std::string& wanted) {
  if (!wanted.empty()) {
    const Tree* element = batch.find(wanted);
    if (!element) {
      throw Error(ErrorKind::key, "there is no element '" + wanted + "'" +
                                      konfig::did_you_mean(wanted, names_of(batch)));
    }
    if (!has_images(*element)) {
      throw Error(ErrorKind::value, "the element '" + wanted +
                                        "' has no images: their shape is (n, h, w, 1, 3 or 4)");
    }
    return wanted;
  }
  for (const std::string& name : names_of(batch)) {
    if (has_images(batch[name])) return name;
  }
  throw Error(ErrorKind::value,
              "no element of a batch has images, of shape (n, h, w, 1, 3 or 4); there is\n" +
                  data::spec_text(data::spec_of(batch)));
}

// "7", "0.5", "cat"; several numbers are joined. None where there is nothing short to say.
std::optional<std::string> label_text(const Tree& labels, std::int64_t row) {
  if (labels.kind() == Tree::Kind::texts) {
    return row < static_cast<std::int64_t>(labels.texts().size())
               ? std::optional(labels.texts()[static_cast<std::size_t>(row)])
               : std::nullopt;
  }
  constexpr std::int64_t kMost = 4;
  if (!labels.is_tensor() || labels.tensor().dim() == 0 || labels.tensor().size(0) <= row)
    return {};
  const Tensor values = labels.tensor()[row].to(at::kDouble).flatten();
  if (values.numel() > kMost) {
    return "#" + std::to_string(values.argmax().item<std::int64_t>());  // one entry for each class
  }
  std::vector<std::string> numbers;
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    numbers.push_back(fmt::format("{:g}", values[i].item<double>()));
  }
  return base::join(numbers, " ");
}

// Eight bits a channel: [0, 1] and [-1, 1] are known ranges, others go from least to greatest.
Tensor as_bytes(Tensor images) {
  if (images.size(3) == 4) images = images.narrow(3, 0, 3);
  if (images.scalar_type() != at::kByte) {
    images = images.to(at::kDouble).nan_to_num(0, 0, 0);
    double low = images.min().item<double>(), high = images.max().item<double>();
    if (low >= 0 && high <= 1) {
      low = 0, high = 1;
    } else if (low >= -1 && high <= 1) {
      low = -1, high = 1;
    } else if (low >= 0 && high <= 255) {
      low = 0, high = 255;
    }
    const double range = high > low ? high - low : 1;
    images = ((images - low) * (255 / range)).round().clamp(0, 255).to(at::kByte);
  }
  return images.expand({-1, -1, -1, 3}).contiguous();
}

// Small images are shown in big pixels.
void draw_image(const Tensor& image, std::int64_t scale, const Bitmap& to, std::int64_t top,
                std::int64_t left) {
  const auto* from = image.const_data_ptr<std::uint8_t>();
  const std::int64_t width = image.size(1);
  for (std::int64_t y = 0; y < image.size(0) * scale; ++y) {
    Pixel* row = to.pixels + (top + y) * to.width + left;
    for (std::int64_t x = 0; x < width * scale; ++x) {
      const auto* pixel = from + (y / scale * width + x / scale) * 3;
      row[x] = {pixel[0], pixel[1], pixel[2]};
    }
  }
}

}  // namespace

Picture data_grid(const data::Dataset& dataset, int n, const std::string& key,
                  const std::string& label) {
  if (n < 1) throw Error(ErrorKind::value, "a picture of " + std::to_string(n) + " images");
  std::vector<Tensor> images;
  std::vector<std::string> labels;
  data::Iterator it = dataset.iterate();
  while (static_cast<int>(images.size()) < n) {
    auto batch = it.next();
    if (!batch) break;
    const std::string name = image_key(*batch, key);
    const Tree* names = label.empty() ? batch->find("label") : batch->find(label);
    if (!names && label.empty()) names = batch->find("labels");
    if (!names && !label.empty()) {
      throw Error(ErrorKind::key, "there is no element '" + label + "'" +
                                      konfig::did_you_mean(label, names_of(*batch)));
    }
    const Tensor bytes = as_bytes(batch->at(name).tensor());
    for (std::int64_t i = 0; i < bytes.size(0) && static_cast<int>(images.size()) < n; ++i) {
      images.push_back(bytes[i]);
      labels.push_back(names ? label_text(*names, i).value_or("") : "");
    }
  }
  if (images.empty()) throw Error(ErrorKind::value, "the dataset is empty");

  const std::int64_t h = images[0].size(0), w = images[0].size(1);
  const std::int64_t scale = std::max<std::int64_t>(1, kLeastSide / std::max<std::int64_t>(w, 1));
  const auto count = static_cast<std::int64_t>(images.size());
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const std::int64_t rows = (count + columns - 1) / columns;
  const bool with_labels =
      std::ranges::any_of(labels, [](const std::string& text) { return !text.empty(); });
  const std::int64_t foot = with_labels ? summaries::text_height(kFontSize) + kBorder : 0;
  const std::int64_t cell_h = h * scale + foot + kBorder, cell_w = w * scale + kBorder;
  Picture out{.height = rows * cell_h + kBorder, .width = columns * cell_w + kBorder};
  std::vector<Pixel> pixels(static_cast<std::size_t>(out.height * out.width), kBackground);
  const Bitmap bitmap{pixels.data(), out.height, out.width};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t top = kBorder + i / columns * cell_h, left = kBorder + i % columns * cell_w;
    draw_image(images[at], scale, bitmap, top, left);
    const std::int64_t room = w * scale - summaries::text_width(labels[at], kFontSize);
    summaries::draw_text(bitmap, top + h * scale + kBorder / 2,
                         left + std::max<std::int64_t>(room, 0) / 2, labels[at], kFontSize, kInk);
  }
  const Tensor whole = at::from_blob(pixels.data(), {out.height, out.width, 3}, at::kByte);
  out.png = io::encode_png(whole);
  out.rgb.assign(reinterpret_cast<const char*>(pixels.data()), pixels.size() * 3);
  return out;
}

}  // namespace kd::inspect
