// What planning and recording an experiment takes, and asking how it is: for growing numbers of
// units.
#include <chrono>
#include <cstdio>

#include "base/temp_folder.h"
#include "kxm/experiments.h"
#include "kxm/kxm.h"
#include "kxm/state.h"
#include "kxm/submit.h"

namespace {

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<konfig::Dict> points(int count) {
  std::vector<konfig::Dict> out;
  for (int i = 0; i < count; ++i) out.push_back({{"x", i}, {"lr", 0.001 * i}});
  return out;
}

}  // namespace

int main() {
  std::printf("%10s %12s %12s\n", "units", "launch [s]", "status [s]");
  for (const int count : {1000, 10'000, 100'000}) {
    const base::TempFolder folder("kxm_bench.");
    kxm::State state(folder.path());
    std::vector<std::string> rest;
    const auto xp =
        kxm::load_experiment({.name = "xp", .text = "single", .source = "single"}, rest);
    auto experiment = xp;
    experiment["target"] = "/bin/true";
    int xid = 0;
    const double launched = seconds_of(
        [&] { xid = kxm::submit(state, experiment, {.context = {.sweep = points(count)}}).xid; });
    const double status = seconds_of([&] { state.experiment(xid); });
    std::printf("%10d %12.3f %12.3f\n", count, launched, status);
  }
}
