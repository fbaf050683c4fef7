// Fuzz target: any bytes as an NPY or NPZ file.
#include "kd/io/npy.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const kd::io::Bytes bytes = kd::io::own_bytes("f", text);
  fuzz::only_errors([&] { kd::io::parse_npy(bytes).clone(); });
  fuzz::only_errors([&] {
    for (auto& [name, tensor] : kd::io::parse_npz(bytes)) tensor.clone();
  });
  return 0;
}
