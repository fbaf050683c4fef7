// Fuzz target: any bytes as the value of a flag. Every text is one.
#include "konfig/literal.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto text = fuzz::text(data, size);
  fuzz::only_errors([&] { konfig::parse_literal(text); });
  konfig::Value value;
  bool read = false;
  fuzz::only_errors([&] {
    value = konfig::parse_flag_value(text);
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
