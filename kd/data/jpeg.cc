// JPEG, by libjpeg-turbo. It reports errors by long jumps, so nothing with a destructor lives in
// the frames it jumps over.
#include <ATen/ops/empty.h>
#include <jpeglib.h>
#include <csetjmp>
#include <cstdio>

#include "kd/data/errors.h"
#include "kd/data/image.h"

namespace kd::data {

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

bool read_rows(Decoder& d, unsigned char* to) {
  if (setjmp(d.failed)) return false;
  jpeg_start_decompress(&d.info);
  const std::size_t row = std::size_t{d.info.output_width} * d.info.output_components;
  while (d.info.output_scanline < d.info.output_height) {
    JSAMPROW rows[] = {to + row * d.info.output_scanline};
    jpeg_read_scanlines(&d.info, rows, 1);
  }
  jpeg_finish_decompress(&d.info);
  return true;
}

}  // namespace

bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); }

Tensor decode_jpeg(std::string_view bytes, int channels, const std::string& name) {
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
  constexpr std::uint64_t kMostPixelsPerByte = 8 * 256;
  const std::uint64_t pixels = std::uint64_t{d.info.image_width} * d.info.image_height;
  if (pixels / kMostPixelsPerByte > bytes.size()) {
    fail_in_file(name, 0,
                 "JPEG: " + std::to_string(d.info.image_width) + " x " +
                     std::to_string(d.info.image_height) + " pixels are more than it can hold");
  }
  const std::int64_t depth = d.info.out_color_space == JCS_GRAYSCALE ? 1 : 3;
  Tensor out = at::empty({d.info.image_height, d.info.image_width, depth}, at::kByte);
  if (!read_rows(d, out.mutable_data_ptr<std::uint8_t>())) fail();
  return out;
}

Tensor decode_image(std::string_view bytes, int channels, const std::string& name, bool deep) {
  if (is_png(bytes)) return decode_png(bytes, channels, name, deep);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, channels, name);
  fail_in_file(name, 0, "this is neither a PNG nor a JPEG");
}

}  // namespace kd::data
