// Pictures: PNG and JPEG as tensors, and tensors as PNG.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kd/core/tensor.h"

namespace kd::io {

// "h w c", uint8 (uint16 for PNG with 16 bits if `deep`). `channels` 1 to 4; 0: as stored. `name`
// is for messages.
Tensor decode_image(std::string_view bytes, int channels, const std::string& name,
                    bool deep = false);
Tensor decode_png(std::string_view bytes, int channels, const std::string& name, bool deep = false);
Tensor decode_jpeg(std::string_view bytes, int channels, const std::string& name);
// Part of a picture.
struct ImageBox {
  std::int64_t top = 0, left = 0, height = 0, width = 0;
};
// Chooses a part, once height and width are known.
using ChooseBox = std::function<ImageBox(std::int64_t height, std::int64_t width)>;
// Only that part of it: the same pixels, with less work where the format allows.
Tensor decode_image_part(std::string_view bytes, int channels, const std::string& name,
                         const ChooseBox& choose);
Tensor part_of(const Tensor& image, const ChooseBox& choose);
bool is_png(std::string_view bytes);
bool is_jpeg(std::string_view bytes);

// A PNG file of an image "h w c", uint8 with 1 to 4 channels.
std::string encode_png(const Tensor& image);

}  // namespace kd::io
