// JPEG, by libjpeg-turbo. It reports errors by long jumps, so nothing with a destructor lives in
// the frames it jumps over.
#include <ATen/ops/empty.h>
#include <jpeglib.h>
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "kd/io/errors.h"
#include "kd/io/image.h"

namespace kd::io {

namespace {

struct Decoder {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  std::jmp_buf failed;
  char message[JMSG_LENGTH_MAX] = "";
};

[[noreturn]] void on_error(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  (*info->err->format_message)(info, decoder->message);
  std::longjmp(decoder->failed, 1);
}
// A damaged picture is an error here; the library would fill it with grey.
void on_message(j_common_ptr info, int level) {
  constexpr int kWarning = -1;
  if (level == kWarning) on_error(info);
}

bool read_header(Decoder& d, std::string_view bytes, int channels) {
  if (setjmp(d.failed)) return false;
  jpeg_create_decompress(&d.info);
  jpeg_mem_src(&d.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&d.info, TRUE);
  if (channels == 0) channels = d.info.num_components == 1 ? 1 : 3;
  d.info.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  return true;
}

// Rows and columns that are not wanted are skipped where the library can. The columns around the
// part are decoded, too, since colours are smoothed over the borders of blocks. `to` has room for
// the part, `row` for a whole row.
bool read_rows(Decoder& d, const ImageBox& box, unsigned char* row, unsigned char* to) {
  if (setjmp(d.failed)) return false;
  jpeg_start_decompress(&d.info);
  constexpr JDIMENSION kMargin = 32;  // two of the widest blocks
  const auto left = static_cast<JDIMENSION>(box.left), width = static_cast<JDIMENSION>(box.width);
  JDIMENSION first = left > kMargin ? left - kMargin : 0;
  const JDIMENSION end = std::min(left + width + kMargin, d.info.output_width);
  JDIMENSION count = end - first;
  if (count < d.info.output_width) jpeg_crop_scanline(&d.info, &first, &count);
  const auto depth = static_cast<std::size_t>(d.info.output_components);
  const std::size_t part = width * depth;
  const bool whole_row = count == width;
  if (box.top > 0) jpeg_skip_scanlines(&d.info, static_cast<JDIMENSION>(box.top));
  for (std::int64_t y = 0; y < box.height;) {
    unsigned char* into = to + static_cast<std::size_t>(y) * part;
    JSAMPROW rows[] = {whole_row ? into : row};
    if (jpeg_read_scanlines(&d.info, rows, 1) == 0) continue;
    if (!whole_row) std::memcpy(into, row + (left - first) * depth, part);
    ++y;
  }
  if (d.info.output_scanline == d.info.output_height) {
    jpeg_finish_decompress(&d.info);
  } else {
    jpeg_abort_decompress(&d.info);
  }
  return true;
}

}  // namespace

bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); }

namespace {

Tensor decode_part(std::string_view bytes, int channels, const std::string& name,
                   const ChooseBox& choose) {
  if (channels != 0 && channels != 1 && channels != 3) {
    fail_in_file(name, "JPEG: a picture has 1 or 3 channels, not " + std::to_string(channels));
  }
  Decoder d;
  d.info.err = jpeg_std_error(&d.errors);
  d.info.client_data = &d;
  d.errors.error_exit = on_error;
  d.errors.emit_message = on_message;
  struct Cleanup {
    jpeg_decompress_struct* info;
    ~Cleanup() { jpeg_destroy_decompress(info); }
  } cleanup{&d.info};
  auto fail = [&] {
    const std::size_t left = d.info.src ? d.info.src->bytes_in_buffer : 0;
    fail_in_file(name, bytes.size() - std::min(left, bytes.size()),
                 std::string("JPEG: ") + d.message);
  };
  if (!read_header(d, bytes, channels)) fail();
  // Each block of 64 pixels takes a bit at least: a header that says more lies.
  constexpr std::uint64_t kMostPixelsPerByte = std::uint64_t{8} * 256;
  const std::uint64_t pixels = std::uint64_t{d.info.image_width} * d.info.image_height;
  if (pixels / kMostPixelsPerByte > bytes.size()) {
    fail_in_file(name, 0,
                 "JPEG: " + std::to_string(d.info.image_width) + " x " +
                     std::to_string(d.info.image_height) + " pixels are more than it can hold");
  }
  const std::int64_t depth = d.info.out_color_space == JCS_GRAYSCALE ? 1 : 3;
  const std::int64_t height = d.info.image_height, width = d.info.image_width;
  const ImageBox box = choose ? choose(height, width) : ImageBox{0, 0, height, width};
  Tensor out = at::empty({box.height, box.width, depth}, at::kByte);
  std::vector<unsigned char> row(static_cast<std::size_t>(width * depth));
  if (!read_rows(d, box, row.data(), out.mutable_data_ptr<std::uint8_t>())) fail();
  return out;
}

}  // namespace

Tensor decode_jpeg(std::string_view bytes, int channels, const std::string& name) {
  return decode_part(bytes, channels, name, nullptr);
}

Tensor decode_image_part(std::string_view bytes, int channels, const std::string& name,
                         const ChooseBox& choose) {
  if (is_jpeg(bytes)) return decode_part(bytes, channels, name, choose);
  return part_of(decode_image(bytes, channels, name), choose);
}

Tensor part_of(const Tensor& image, const ChooseBox& choose) {
  const ImageBox box = choose(image.size(0), image.size(1));
  return image.narrow(0, box.top, box.height).narrow(1, box.left, box.width);
}

Tensor decode_image(std::string_view bytes, int channels, const std::string& name, bool deep) {
  if (is_png(bytes)) return decode_png(bytes, channels, name, deep);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, channels, name);
  fail_in_file(name, 0, "this is neither a PNG nor a JPEG");
}

}  // namespace kd::io
