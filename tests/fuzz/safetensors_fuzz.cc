// Fuzz target: any bytes as a safetensors file.
#include "kd/io/safetensors.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string_view bytes = fuzz::text(data, size);
  kd::io::TensorMap tensors;
  kd::io::Metadata metadata;
  bool read = false;
  fuzz::only_errors([&] {
    tensors = kd::io::parse_safetensors(bytes);
    metadata = kd::io::parse_safetensors_header(bytes, bytes.size()).metadata;
    read = true;
  });
  if (!read) return 0;
  // What was read can be written, and from then on nothing changes.
  std::string written = kd::io::to_safetensors(tensors, metadata);
  std::string again =
      kd::io::to_safetensors(kd::io::parse_safetensors(written),
                             kd::io::parse_safetensors_header(written, written.size()).metadata);
  fuzz::require(again == written, "tensors changed on the way", written, again);
  return 0;
}
