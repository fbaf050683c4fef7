// Fuzz target: any bytes as launch.yaml.
#include "kxm/settings.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto text = fuzz::text(data, size);
  fuzz::only_errors([&] { kxm::parse_settings(text); });
  return 0;
}
