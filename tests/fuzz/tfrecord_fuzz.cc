// Fuzz target: any bytes as a TFRecord file, and as an example.
#include "kd/data/tfrecord.h"

#include "kd/data/example.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const kd::data::Bytes bytes = kd::data::own_bytes("f", text);
  fuzz::only_errors([&] {
    std::string written;
    for (auto& span : kd::data::index_tfrecords(bytes)) {
      written += kd::data::tfrecord_frame(kd::data::tfrecord_at(bytes, span));
    }
    fuzz::require(written == text, "records changed on the way", text, written);
  });
  fuzz::only_errors([&] { kd::data::parse_example(text, "f"); });
  return 0;
}
