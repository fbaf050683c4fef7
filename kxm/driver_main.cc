// A launcher for tests: kxm_driver STATE XID [again] runs an experiment and prints its counts.
#include <exception>
#include <iostream>
#include <string>

#include "kxm/launch.h"
#include "kxm/local.h"

int main(int argc, char** argv) {
  try {
    kxm::State state(argv[1]);
    const bool again = argc > 3 && std::string(argv[3]) == "again";
    const auto result =
        kxm::run(state, std::stoi(argv[2]), kxm::Local{.machine = argv[1]}, {.again = again});
    for (int i = 0; i < kxm::kJobStates; ++i) {
      const auto which = static_cast<kxm::JobState>(i);
      std::cout << kxm::to_string(which) << " " << result.units[which] << "\n";
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
