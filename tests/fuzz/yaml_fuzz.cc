// Fuzz target: any bytes as YAML.
#include "tests/fuzz/check_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto text = fuzz::text(data, size);
  fuzz::check_parser([&] { return konfig::parse_yaml(text); },
                     [&](auto&) { return konfig::config_from_yaml(text); });
  return 0;
}
