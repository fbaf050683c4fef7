// Fuzz target: any bytes as a tar archive.
#include "kd/data/tar.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  fuzz::only_errors([&] { kd::data::read_tar(kd::data::own_bytes("f", text)); });
  return 0;
}
