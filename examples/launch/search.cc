// A search that asks for further units and stops bad ones early: random learning rates, of which
// only those go on that are not worse than the best one so far.
//
// The program is search.sh, which stands for a training.
//
//   kd launch --xp=examples/launch/search.cc --xp.orchestrator.units=8
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "kxm/kxm.h"

using konfig::Dict;

struct RandomSearch {
  int units = 6;               // in all
  int parallel = 2;            // at the same time
  double worse_than_best = 2;  // a loss this many times the best one stops a unit
  int seed = 0;

  kxm::SweepItem ask(int number) const {
    std::mt19937 random(static_cast<unsigned>(seed + number));
    const double exponent = std::uniform_real_distribution<double>(-4, 0)(random);
    return {.job_kwargs = Dict{{"lr", std::pow(10.0, exponent)}}};
  }

  // The last line of the unit's loss.txt; infinity while there is none.
  static double loss_of(const kxm::UnitProgress& unit) {
    double last = std::numeric_limits<double>::infinity();
    std::ifstream file(unit.unit->dir + "/loss.txt");
    for (double loss = 0; file >> loss;) last = loss;
    return last;
  }

  void plan(kxm::Orchestration& all) const {
    for (int i = 0; i < std::min(units, parallel); ++i) all.add(ask(i));
  }

  void step(kxm::Orchestration& all, const kxm::Progress& progress) const {
    double best = std::numeric_limits<double>::infinity();
    int active = 0;
    for (const auto& unit : progress) best = std::min(best, loss_of(unit));
    for (const auto& unit : progress) {
      const bool runs = unit.is == kxm::UnitIs::running;
      active += runs || unit.is == kxm::UnitIs::waiting;
      const double loss = loss_of(unit);
      if (runs && std::isfinite(loss) && loss > worse_than_best * best) all.stop(unit.unit->wid);
    }
    for (int i = static_cast<int>(progress.size()); i < units && active < parallel; ++i, ++active) {
      all.add(ask(i));
    }
  }
};
KXM_COMPONENT(kxm::Orchestrator, RandomSearch);

static konfig::ConfigDict get_config() {
  return konfig::lower(kxm::Experiment{
      .jobs = {{"train", kxm::Job{.target = "search.sh", .args = {{"dir", kxm::WU_DIR_PROXY}}}}},
      .root_dir = "runs",
      .orchestrator = RandomSearch(),
      .max_parallel = 2,
  });
}
KONFIG_EXPORT(get_config)
