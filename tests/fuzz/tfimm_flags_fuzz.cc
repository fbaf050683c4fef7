// Fuzz target: any bytes as the flags of a training config, a line for each word.
#include <sstream>

#include "tests/fuzz/tfimm_classes.h"

CFG_SERIALIZABLE(fuzz::Part);

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::vector<std::string> words;
  std::istringstream lines{std::string(fuzz::text(data, size))};
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  tfimm::train::complete_args(fuzz::Whole{}, words, "--");
  std::optional<fuzz::Whole> cfg;
  try {
    fuzz::only_errors([&] { cfg = tfimm::train::parse_args(fuzz::Whole{}, words); });
  } catch (const tfimm::train::HelpRequested&) {
  }
  if (cfg) fuzz::check_whole(*cfg);
  return 0;
}
