// ShowBoxes: frames of one pixel, drawn over images.
#include <algorithm>
#include <array>
#include <cmath>

#include "kd/metrics/engine/metric.h"
#include "kd/summaries/engine/states.h"
#include "kd/summaries/images_impl.h"

namespace kd::summaries {

using konfig::Error;
using konfig::ErrorKind;

namespace {

using Color = std::array<float, 3>;

// Full colours whose hues have equal distances, from red on.
std::vector<Color> even_hues(int count) {
  std::vector<Color> out;
  for (int i = 0; i < count; ++i) {
    double sixth = static_cast<double>(i) / count * 6;
    int sector = static_cast<int>(sixth);
    float up = static_cast<float>(sixth - sector), down = static_cast<float>(1 - (sixth - sector));
    const Color colors[] = {{1, up, 0},   {down, 1, 0}, {0, 1, up},
                            {0, down, 1}, {up, 0, 1},   {1, 0, down}};
    out.push_back(colors[sector % 6]);
  }
  return out;
}

// The pixels (row, column) of one image; coordinates may lie outside.
struct Canvas {
  float* pixels;
  std::int64_t height, width, channels;

  void set(std::int64_t row, std::int64_t column, const Color& color) const {
    if (row < 0 || row >= height || column < 0 || column >= width) return;
    std::copy_n(color.begin(), channels, pixels + (row * width + column) * channels);
  }
};

// box: ymin, xmin, ymax, xmax as parts of the image. One that is turned around is not drawn.
void draw(const Canvas& canvas, const float* box, const Color& color) {
  auto place = [](float part, std::int64_t size) {
    // Far outside is far outside, whatever whole numbers can hold.
    float at = std::clamp(part * static_cast<float>(size - 1), -1e9f, 1e9f);
    return static_cast<std::int64_t>(at);
  };
  for (int i = 0; i < 4; ++i) {
    if (std::isnan(box[i])) return;
  }
  std::int64_t top = place(box[0], canvas.height), left = place(box[1], canvas.width);
  std::int64_t bottom = place(box[2], canvas.height), right = place(box[3], canvas.width);
  if (top > bottom || left > right) return;
  for (auto x = std::max<std::int64_t>(left, 0); x <= std::min(right, canvas.width - 1); ++x) {
    canvas.set(top, x, color);
    canvas.set(bottom, x, color);
  }
  for (auto y = std::max<std::int64_t>(top, 0); y <= std::min(bottom, canvas.height - 1); ++y) {
    canvas.set(y, left, color);
    canvas.set(y, right, color);
  }
}

}  // namespace

ShowBoxesState ShowBoxes::get_state(Float<"..."> images, Float<"*b k 4"> boxes,
                                    std::optional<Bool<"*b k 1">> boxes_mask) const {
  Tensor frames = boxes.detach();
  if (boxes_mask) frames = frames * boxes_mask->to(at::kFloat);
  ShowBoxesState::Look look{.num_colors = num_colors, .rearrange = rearrange};
  if (rearrange_kwargs) {
    for (auto& [name, size] : *rearrange_kwargs) look.sizes.emplace_back(name, size);
  }
  return {.images = {detail::rescale(images.detach(), in_vrange), num_images},
          .boxes = {frames, num_images},
          .look = std::move(look)};
}

Tensor ShowBoxesState::compute() const {
  Tensor all = detail::collected(images);
  Tensor flat = detail::as_images(all, {}, {}).to(at::kFloat).contiguous().clone();
  Tensor frames = detail::collected(boxes).to(at::kFloat).flatten(0, -3).contiguous();
  detail::check_images(flat);
  if (flat.size(0) != frames.size(0)) {
    throw Error(ErrorKind::value, "ShowBoxes: there are boxes for " +
                                      std::to_string(frames.size(0)) + " images and " +
                                      std::to_string(flat.size(0)) + " images");
  }
  if (look->num_colors < 1) {
    throw Error(ErrorKind::value, "ShowBoxes.num_colors is " + std::to_string(look->num_colors) +
                                      "; boxes need at least one colour");
  }
  std::vector<Color> colors = even_hues(look->num_colors);
  for (std::int64_t i = 0; i < flat.size(0); ++i) {
    Canvas canvas{flat.mutable_data_ptr<float>() + i * flat.stride(0), flat.size(1), flat.size(2),
                  flat.size(3)};
    const float* box = frames.const_data_ptr<float>() + i * frames.stride(0);
    for (std::int64_t k = 0; k < frames.size(1); ++k) {
      draw(canvas, box + 4 * k, colors[static_cast<std::size_t>(k) % colors.size()]);
    }
  }
  konfig::Map<int> sizes;
  for (auto& [name, size] : look->sizes) sizes[name] = size;
  return detail::as_images(flat.view(all.sizes()), look->rearrange, sizes).clamp(0.0, 1.0);
}

}  // namespace kd::summaries
