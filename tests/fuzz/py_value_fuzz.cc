// Fuzz target: any bytes as what follows `py::` in a flag.
#include "konfig/literal.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  konfig::Value value;
  bool read = false;
  fuzz::only_errors([&] {
    value = konfig::parse_py(fuzz::text(data, size));
    read = true;
  });
  if (!read) return 0;
  fuzz::check_value(value);
  konfig::ConfigDict cfg;
  read = false;
  fuzz::only_errors([&] {
    cfg["value"] = value;
    read = true;
  });
  if (read) fuzz::check_config(cfg);
  return 0;
}
