// Fuzz target: any bytes as an IDX file, packed or not.
#include "kd/io/idx.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  fuzz::only_errors([&] { kd::io::parse_idx(kd::io::own_bytes("f", text)).sum(); });
  return 0;
}
