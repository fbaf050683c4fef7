// What this machine has, and who has which part of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "kxm/plan.h"

namespace kxm {

struct Machine {
  std::vector<int> cpus;          // that this process may use
  std::vector<std::string> gpus;  // as CUDA_VISIBLE_DEVICES names them
  std::int64_t memory = 0;        // bytes
};
// $KD_LOCAL_GPUS, a number, stands in for the GPUs that are found.
Machine this_machine();

// Parts of the machine while they are held: by whoever has the file open.
struct Slots {
  std::unique_ptr<base::File> file;  // nothing: nothing was asked for
  std::vector<int> cpus = {};        // empty: any
  // What the job sees, if that is not what its launcher sees.
  std::optional<std::vector<std::string>> gpus = {};
};
bool asks(const Resources& resources);  // for CPUs, memory or GPUs
// Nothing if there is not enough now. Who asks for no GPU sees those that nobody holds. `folder`
// has one file for each machine.
std::optional<Slots> take_slots(const std::filesystem::path& folder, const Machine& machine,
                                const Resources& resources);

}  // namespace kxm
