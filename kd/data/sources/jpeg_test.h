// Small JPEGs for tests.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "kd/data/order/generator.h"

namespace kd::data {

struct Look {
  int height = 90, width = 131, channels = 3;
  int sampling = 2;  // brightness has so many times the resolution of colour
  bool progressive = false;
};

inline std::string encode_jpeg(const Look& look) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_height = static_cast<JDIMENSION>(look.height);
  info.image_width = static_cast<JDIMENSION>(look.width);
  info.input_components = look.channels;
  info.in_color_space = look.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 85, TRUE);
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = look.sampling;
  if (look.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  Generator rng({9, 0});
  std::vector<unsigned char> row(static_cast<std::size_t>(look.width * look.channels));
  for (int y = 0; y < look.height; ++y) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto x = static_cast<int>(i) / look.channels, c = static_cast<int>(i) % look.channels;
      row[i] = static_cast<unsigned char>(x * 2 + y * (c + 1) + static_cast<int>(rng.integers(60)));
    }
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string out(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return out;
}

}  // namespace kd::data
