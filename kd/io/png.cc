// PNG, by libpng. It reports errors by long jumps, so nothing with a destructor lives in the frames
// it jumps over.
#include <ATen/ops/empty.h>
#include <png.h>

#include <cstring>
#include <vector>

#include "kd/io/errors.h"
#include "kd/io/image.h"

namespace kd::io {

namespace {

struct Reading {
  const char* at;
  std::size_t left;
  std::size_t size;
  char message[200];
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* reading = static_cast<Reading*>(png_get_error_ptr(png));
  std::snprintf(reading->message, sizeof reading->message, "%s", message);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t n) {
  auto* reading = static_cast<Reading*>(png_get_io_ptr(png));
  if (n > reading->left) png_error(png, "the picture ends too early");
  std::memcpy(to, reading->at, n);
  reading->at += n;
  reading->left -= n;
}

struct Shape {
  png_uint_32 width, height;
  int channels, bits;
  std::uint64_t stored = 0;  // bytes of all rows, as they stand in the file
};

// The header, and how rows are to come out.
bool read_header(png_structp png, png_infop info, int channels, bool deep, Shape* out) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_info(png, info);
  const std::uint64_t stored =
      std::uint64_t{png_get_rowbytes(png, info)} * png_get_image_height(png, info);
  const int bits = png_get_bit_depth(png, info);
  const int color = png_get_color_type(png, info);
  png_set_expand(png);
  if (bits == 16 && !deep) png_set_scale_16(png);
  if (bits == 16 && deep) png_set_swap(png);
  const bool colored = color & PNG_COLOR_MASK_COLOR;
  if (channels >= 3 && !colored) png_set_gray_to_rgb(png);
  if ((channels == 1 || channels == 2) && colored) {
    png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, -1, -1);
  }
  const bool alpha = (color & PNG_COLOR_MASK_ALPHA) || png_get_valid(png, info, PNG_INFO_tRNS);
  const bool wants_alpha = channels == 2 || channels == 4;
  if (channels != 0 && alpha && !wants_alpha) png_set_strip_alpha(png);
  if (wants_alpha && !alpha) {
    png_set_add_alpha(png, deep && bits == 16 ? 0xFFFF : 0xFF, PNG_FILLER_AFTER);
  }
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  *out = {png_get_image_width(png, info), png_get_image_height(png, info),
          png_get_channels(png, info), png_get_bit_depth(png, info), stored};
  return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  explicit Reader(Reading* reading)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, reading, on_error, on_warning)),
        info(png ? png_create_info_struct(png) : nullptr) {
    if (png) png_set_read_fn(png, reading, read_bytes);
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
};

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

Tensor decode_png(std::string_view bytes, int channels, const std::string& name, bool deep) {
  Reading reading{bytes.data(), bytes.size(), bytes.size(), ""};
  Reader reader(&reading);
  if (!reader.info) fail_in_file(name, "libpng does not start");
  auto fail = [&] {
    fail_in_file(name, bytes.size() - reading.left, std::string("PNG: ") + reading.message);
  };
  Shape shape = {};
  if (!read_header(reader.png, reader.info, channels, deep, &shape)) fail();
  constexpr std::uint64_t kMostRatio = 1032;  // of deflate
  if (shape.stored / kMostRatio > bytes.size()) {
    fail_in_file(name, 16,
                 "PNG: " + std::to_string(shape.width) + " x " + std::to_string(shape.height) +
                     " pixels are more than it can hold");
  }
  const std::uint64_t row = std::uint64_t{shape.width} * static_cast<unsigned>(shape.channels) *
                            static_cast<unsigned>(shape.bits) / 8;
  Tensor out = at::empty({shape.height, shape.width, shape.channels},
                         shape.bits == 16 ? at::kUInt16 : at::kByte);
  std::vector<png_bytep> rows(shape.height);
  auto* data = static_cast<png_bytep>(out.mutable_data_ptr());
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = data + y * row;
  if (!read_rows(reader.png, rows.data())) fail();
  if (channels != 0 && shape.channels != channels) {
    fail_in_file(
        name, 25,
        "PNG: " + std::to_string(shape.channels) + " channels, not " + std::to_string(channels));
  }
  return out;
}

namespace {

void append_bytes(png_structp png, png_bytep from, std::size_t n) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(from), n);
}
void flush_bytes(png_structp) {}

bool write_image(png_structp png, png_infop info, const Shape& shape, int color, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_IHDR(png, info, shape.width, shape.height, shape.bits, color, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

std::string encode_png(const Tensor& image) {
  if (image.dim() != 3 || image.scalar_type() != at::kByte || image.size(2) < 1 ||
      image.size(2) > 4 || image.numel() == 0) {
    throw Error(ErrorKind::value, "a PNG is made of uint8 (h, w, c) with 1 to 4 channels");
  }
  constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                             PNG_COLOR_TYPE_RGB_ALPHA};
  const Tensor pixels = image.contiguous();
  const Shape shape{static_cast<png_uint_32>(pixels.size(1)),
                    static_cast<png_uint_32>(pixels.size(0)), static_cast<int>(pixels.size(2)), 8};
  std::vector<png_bytep> rows(shape.height);
  auto* data = static_cast<png_bytep>(pixels.mutable_data_ptr());
  const std::size_t row = std::size_t{shape.width} * static_cast<unsigned>(shape.channels);
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = data + y * row;
  Reading messages = {};
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &messages, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (info) png_set_write_fn(png, &out, append_bytes, flush_bytes);
  const bool good = info && write_image(png, info, shape, kColors[shape.channels - 1], rows.data());
  png_destroy_write_struct(&png, &info);
  if (!good) throw Error(ErrorKind::value, std::string("PNG: ") + messages.message);
  return out;
}

}  // namespace kd::io
