// Fuzz target: any bytes as a picture.
#include "kd/io/image.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  for (int channels : {0, 1, 3, 4}) {
    fuzz::only_errors([&] {
      const kd::Tensor image = kd::io::decode_image(text, channels, "f");
      if (!kd::io::is_png(text)) return;
      const kd::Tensor again = kd::io::decode_image(kd::io::encode_png(image), 0, "f");
      fuzz::require(again.equal(image), "a picture changed on the way", "", "");
    });
  }
  fuzz::only_errors([&] {
    kd::io::decode_image_part(text, 0, "f", [](std::int64_t height, std::int64_t width) {
      const std::int64_t top = height / 3, left = width / 3;
      return kd::io::ImageBox{top, left, height - top - height / 4, width - left - width / 4};
    });
  });
  return 0;
}
