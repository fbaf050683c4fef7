// Fuzz target: any text as a platform and as the amount of a resource.
#include "kxm/requirements.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  fuzz::only_errors([&] {
    kxm::Requirements first, second;
    kxm::add_platform(first, text);
    kxm::add_platform(second, first.platform());
    fuzz::require(second.platform() == first.platform(), "a platform changed on the way", text,
                  second.platform());
    fuzz::require(first.resources().gpus >= 0, "a negative number of GPUs", text, "");
  });
  for (const char* name : {"ram", "cpu", "time", "replicas", "a100"}) {
    fuzz::only_errors([&] {
      kxm::Requirements requirements;
      kxm::add_requirements(requirements, {{name, text}});
      const auto resources = requirements.resources();
      fuzz::require(resources.memory >= 0 && resources.seconds >= 0, "a negative amount", text, "");
    });
  }
  return 0;
}
