// Fuzz target: any bytes as the value of a flag. Every text is one.
#include "konfig/literal.h"
#include "tests/fuzz/check_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto text = fuzz::text(data, size);
  fuzz::only_errors([&] { konfig::parse_literal(text); });
  fuzz::check_parser([&] { return konfig::parse_flag_value(text); }, fuzz::config_with);
  return 0;
}
