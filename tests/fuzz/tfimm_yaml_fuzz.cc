// Fuzz target: any bytes as the YAML of a training config, tags included.
#include "tests/fuzz/tfimm_classes.h"

CFG_SERIALIZABLE(fuzz::Part);

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  std::optional<fuzz::Whole> cfg;
  fuzz::only_errors([&] { cfg = tfimm::train::from_yaml<fuzz::Whole>(text); });
  if (cfg) fuzz::check_whole(*cfg);
  return 0;
}
