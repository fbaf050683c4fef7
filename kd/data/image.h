// Pictures: PNG and JPEG as tensors, and tensors as PNG.
#pragma once

#include <string>
#include <string_view>

#include "kd/tensor.h"

namespace kd::data {

// "h w c", uint8 (uint16 for PNG with 16 bits if `deep`). `channels` 1 to 4; 0: as stored. `name`
// is for messages.
Tensor decode_image(std::string_view bytes, int channels, const std::string& name,
                    bool deep = false);
Tensor decode_png(std::string_view bytes, int channels, const std::string& name, bool deep = false);
Tensor decode_jpeg(std::string_view bytes, int channels, const std::string& name);
bool is_png(std::string_view bytes);
bool is_jpeg(std::string_view bytes);

// A PNG file of an image "h w c", uint8 with 1 to 4 channels.
std::string encode_png(const Tensor& image);

}  // namespace kd::data
