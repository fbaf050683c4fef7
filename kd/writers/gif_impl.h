// Animations as GIF files. Library only.
#pragma once

#include <string>

#include "kd/core/tensor.h"

namespace kd::writers {

// A file that repeats for ever, of a video "t h w c": uint8, with 1 or 3 channels. Up to 256
// colours are kept as they are, of more the palette is chosen for the whole video.
std::string encode_gif(const Tensor& video, int milliseconds_a_frame = 100);

}  // namespace kd::writers
