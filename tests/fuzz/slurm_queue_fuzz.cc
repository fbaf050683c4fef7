// Fuzz target: any text as the output of squeue.
#include "kxm/slurm/outputs.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  fuzz::only_errors([&] {
    for (auto& task : kxm::slurm::parse_queue(text)) {
      fuzz::require(task.state.find('|') == std::string::npos, "two fields in one", text,
                    task.state);
      kxm::slurm::is_over(task.state);
    }
  });
  return 0;
}
