// Fuzz target: any bytes as an NPY or NPZ file.
#include "kd/data/npy.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const kd::data::Bytes bytes = kd::data::own_bytes("f", text);
  fuzz::only_errors([&] { kd::data::parse_npy(bytes).clone(); });
  fuzz::only_errors([&] {
    for (auto& [name, tensor] : kd::data::parse_npz(bytes)) tensor.clone();
  });
  return 0;
}
