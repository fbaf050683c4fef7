// Fuzz target: any bytes as a file of W&B. Records that were read can be written and read again.
#include "kd/io/wandb_log.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  fuzz::only_errors([&] {
    const kd::io::WandbLog log = kd::io::read_wandb_log(kd::io::own_bytes("f", text));
    std::string written = kd::io::wandb_log_head();
    for (const std::string& record : log.records) {
      written += kd::io::wandb_log_frame(written.size(), record);
    }
    const kd::io::WandbLog again = kd::io::read_wandb_log(kd::io::own_bytes("g", written));
    fuzz::require(again.records == log.records, "records changed on the way", text, written);
    fuzz::require(again.problem.empty(), "what was written is damaged", written, again.problem);
    fuzz::require(log.whole <= text.size(), "more than the file was read", text, "");
  });
  return 0;
}
