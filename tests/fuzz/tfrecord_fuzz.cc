// Fuzz target: any bytes as a TFRecord file, and as an example.
#include "kd/io/tfrecord.h"

#include "kd/io/example.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const kd::io::Bytes bytes = kd::io::own_bytes("f", text);
  fuzz::only_errors([&] {
    std::string written;
    for (auto& span : kd::io::index_tfrecords(bytes)) {
      written += kd::io::tfrecord_frame(kd::io::tfrecord_at(bytes, span));
    }
    fuzz::require(written == text, "records changed on the way", text, written);
  });
  fuzz::only_errors([&] { kd::io::parse_example(text, "f"); });
  return 0;
}
