// Fuzz target: any bytes as the tuple that a flag gives.
#include "tests/fuzz/tfimm_classes.h"

CFG_SERIALIZABLE(fuzz::Part);

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  for (const char* flag : {"--t=", "--x.t=", "--pair="}) {
    std::optional<fuzz::Whole> cfg;
    fuzz::only_errors([&] { cfg = tfimm::train::parse_args(fuzz::Whole{}, {flag + text}); });
    if (cfg) fuzz::check_whole(*cfg);
  }
  return 0;
}
