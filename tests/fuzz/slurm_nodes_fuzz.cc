// Fuzz target: any text as the output of sinfo.
#include "kxm/slurm/outputs.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  fuzz::only_errors([&] {
    for (auto& nodes : kxm::slurm::parse_nodes(text)) {
      const bool sane = nodes.cpus >= 0 && nodes.memory >= 0 && nodes.count >= 0 &&
                        nodes.seconds >= 0 && nodes.gpus() >= nodes.gpus("a100") &&
                        nodes.gpus("a100") >= 0;
      fuzz::require(sane, "less than nothing", text, nodes.gres);
    }
  });
  return 0;
}
