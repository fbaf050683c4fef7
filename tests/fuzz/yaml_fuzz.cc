// Fuzz target: any bytes as YAML.
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto text = fuzz::text(data, size);
  konfig::Value value;
  bool read = false;
  fuzz::only_errors([&] {
    value = konfig::parse_yaml(text);
    read = true;
  });
  if (!read) return 0;
  fuzz::check_value(value);
  konfig::ConfigDict cfg;
  read = false;
  fuzz::only_errors([&] {
    cfg = konfig::config_from_yaml(text);
    read = true;
  });
  if (read) fuzz::check_config(cfg);
  return 0;
}
