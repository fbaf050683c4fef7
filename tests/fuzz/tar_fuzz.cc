// Fuzz target: any bytes as a tar archive.
#include "kd/io/tar.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  fuzz::only_errors([&] { kd::io::read_tar(kd::io::own_bytes("f", text)); });
  return 0;
}
