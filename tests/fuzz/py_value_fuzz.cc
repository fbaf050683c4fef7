// Fuzz target: any bytes as what follows `py::` in a flag.
#include "konfig/literal.h"
#include "tests/fuzz/check_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto text = fuzz::text(data, size);
  fuzz::check_parser([&] { return konfig::parse_py(text); }, fuzz::config_with);
  return 0;
}
