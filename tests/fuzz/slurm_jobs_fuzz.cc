// Fuzz target: any text as the output of scontrol: jobs, and the configuration.
#include "kxm/slurm/outputs.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  kxm::slurm::config_value(text, "MaxArraySize");
  kxm::slurm::parse_submitted(text);
  fuzz::only_errors([&] {
    for (auto& task : kxm::slurm::parse_jobs(text)) {
      fuzz::require(task.state.find(' ') == std::string::npos, "a state of two words", text,
                    task.state);
    }
  });
  return 0;
}
