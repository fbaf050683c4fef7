// What this machine has, and who has which part of it.
#include "kxm/machine_impl.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <thread>

#include "base/number_in.h"
#include "kxm/lock_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

namespace fs = std::filesystem;

namespace {

// Each CPU, GPU and block of memory is a byte of the file that its owner has locked.
constexpr off_t kGpus = 1 << 20, kMemory = 2 << 20, kMutex = 64 << 20;
constexpr std::int64_t kBlock = std::int64_t{64} << 20;

std::vector<int> usable_cpus() {
  std::vector<int> out;
  for (int size = 1024; size <= 1 << 18 && out.empty(); size *= 4) {
    cpu_set_t* set = CPU_ALLOC(size);
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    if (::sched_getaffinity(0, bytes, set) == 0) {
      for (int cpu = 0; cpu < size; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, set)) out.push_back(cpu);
      }
    }
    CPU_FREE(set);
  }
  if (out.empty()) {
    for (unsigned cpu = 0; cpu < std::max(1u, std::thread::hardware_concurrency()); ++cpu) {
      out.push_back(static_cast<int>(cpu));
    }
  }
  return out;
}

std::vector<std::string> numbered(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back(std::to_string(i));
  return out;
}

std::vector<std::string> usable_gpus() {
  if (const char* given = std::getenv("KD_LOCAL_GPUS")) return numbered(std::atoi(given));
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::vector<std::string> out;
    std::istringstream names(visible);
    for (std::string name; std::getline(names, name, ',');) {
      if (name == "-1") break;
      if (!name.empty()) out.push_back(name);
    }
    return out;
  }
  int count = 0;
  std::error_code error;
  for ([[maybe_unused]] auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", error))
    ++count;
  return numbered(count);
}

// By its name, since launchers may see different ones: a number, or a UUID.
off_t gpu_slot(const std::string& gpu) {
  if (const auto number = base::number_in<int>(gpu)) return *number % 1000;
  return 1000 + static_cast<off_t>(std::hash<std::string>()(gpu) % 1000000);
}

std::int64_t total_memory() {
  std::int64_t out = 0;
  std::istringstream lines(base::try_read_file("/proc/meminfo").value_or(""));
  for (std::string name; lines >> name;) {
    if (name == "MemTotal:") {
      lines >> out;
      out *= 1024;
      break;
    }
    std::getline(lines, name);
  }
  // A container may have less.
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const std::string text = base::try_read_file(file).value_or("");
    std::int64_t limit = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), limit).ec == std::errc() &&
        limit > 0) {
      out = std::min(out, limit);
    }
  }
  return out;
}

}  // namespace

Machine this_machine() { return {usable_cpus(), usable_gpus(), total_memory()}; }

bool asks(const Resources& resources) {
  return resources.cpus > 0 || resources.memory > 0 || resources.gpus > 0;
}

std::optional<Slots> take_slots(const fs::path& folder, const Machine& machine,
                                const Resources& resources) {
  Slots out;
  if (!asks(resources)) return out;
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path file = folder / host();
  out.file = std::make_unique<base::File>(file, O_RDWR | O_CREAT);
  const int descriptor = out.file->descriptor();
  // Two launchers that each take a part of what is left would both go without.
  wait_lock(descriptor, file, kMutex, 1);
  const auto cpus = static_cast<std::size_t>(std::ceil(resources.cpus));
  for (const int cpu : machine.cpus) {
    if (out.cpus.size() == cpus) break;
    if (try_lock(descriptor, file, cpu, 1)) out.cpus.push_back(cpu);
  }
  if (out.cpus.size() < cpus) return std::nullopt;
  const auto gpus = static_cast<std::size_t>(resources.gpus);
  std::vector<std::string> free;
  for (const std::string& gpu : machine.gpus) {
    if (gpus > 0 && free.size() == gpus) break;
    const off_t slot = kGpus + gpu_slot(gpu);
    if (!try_lock(descriptor, file, slot, 1)) continue;
    if (gpus == 0) unlock(descriptor, slot, 1);
    free.push_back(gpu);
  }
  if (free.size() < gpus) return std::nullopt;
  if (gpus > 0 || free.size() < machine.gpus.size()) out.gpus = std::move(free);
  std::int64_t blocks = (resources.memory + kBlock - 1) / kBlock;
  for (off_t block = 0; block < machine.memory / kBlock && blocks > 0; ++block) {
    if (try_lock(descriptor, file, kMemory + block, 1)) --blocks;
  }
  if (blocks > 0) return std::nullopt;
  unlock(descriptor, kMutex, 1);
  return out;
}

}  // namespace kxm
