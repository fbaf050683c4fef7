// Fuzz target: any bytes as JSON.
#include "tests/fuzz/check_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto text = fuzz::text(data, size);
  fuzz::check_parser([&] { return konfig::parse_json(text); },
                     [&](auto&) { return konfig::config_from_json(text); });
  return 0;
}
