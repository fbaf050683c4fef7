#include "cli/launch_place.h"

#include <cstdint>

#include "cli/errors.h"
#include "konfig/lower.h"
#include "kxm/kxm.h"
#include "kxm/slurm.h"
#include "kxm/state.h"

namespace cli {

using konfig::ConfigDict;
using konfig::Value;

namespace {

// Of the experiment that gets further units; "" for a new one, and for one that has an executor of
// its own.
std::string place_of_known(const ConfigDict& xp) {
  const Value xid = xp.get("xid", Value());
  if (!xid.is<std::int64_t>()) return "";
  const kxm::State state(kxm::state_folder(), kxm::State::Open::read);
  const auto known = state.experiment(static_cast<int>(xid.as<std::int64_t>()));
  return known && known->recorded && known->executor != kOwn ? known->executor : "";
}

}  // namespace

std::string place_of(std::string on, const ConfigDict& xp) {
  const bool typed = !on.empty();
  if (const Value given = xp.get("executor", Value()); !typed) {
    if (given.is<std::string>()) on = given.as<std::string>();
    // Every experiment starts with a Borg, which is not there.
    const bool own = given.is<ConfigDict>() &&
                     given.as<ConfigDict>().qualname().find(":Borg") == std::string::npos;
    if (own) return kOwn;
  }
  if (on.empty()) on = place_of_known(xp);
  if (on.empty()) on = kxm::has_slurm() ? kSlurm : kLocal;
  if (on != kLocal && on != kSlurm) {
    throw UsageError((typed ? "--on: " : "xp.executor: ") +
                     std::string("expected local or slurm, got '") + on + "'");
  }
  return on;
}

std::string place_text(const std::string& place) {
  return place == kLocal ? "this machine" : place == kSlurm ? "Slurm" : "its own executor";
}

void use_local(ConfigDict& xp) {
  const auto guard = xp.ignore_type();
  xp.set("executor", kLocal);
}

void use_slurm(ConfigDict& xp, const kxm::Settings& settings) {
  kxm::Slurm slurm;
  for (auto& [name, place] : settings.places) slurm.places[name] = place;
  for (auto& [name, type] : settings.gpus) slurm.gpu_types[name] = type;
  if (const Value most = xp.get("max_parallel", Value()); most.is<std::int64_t>()) {
    slurm.max_parallel = static_cast<int>(most.as<std::int64_t>());
  }
  const auto guard = xp.ignore_type();
  xp.set("executor", konfig::lower(slurm));
}

}  // namespace cli
