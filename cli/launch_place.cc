#include "cli/launch_place.h"

#include <algorithm>
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

// Every experiment and every job starts with a Borg, which is not there.
bool has_executor(const ConfigDict& node) {
  const Value given = node.get("executor", Value());
  return given.is<ConfigDict>() &&
         given.as<ConfigDict>().qualname().find(":Borg") == std::string::npos;
}

// Of these jobs and groups of jobs.
bool any_has_executor(const ConfigDict& jobs) {
  const auto entries = jobs.items();
  return std::ranges::any_of(entries, [](auto& entry) {
    auto* job = entry.second.template get_if<ConfigDict>();
    return job && (has_executor(*job) || any_has_executor(*job));
  });
}

ConfigDict node_at(const ConfigDict* config, const char* key) {
  const Value found = config ? config->get(key, Value()) : Value();
  return found.is<ConfigDict>() ? found.as<ConfigDict>() : ConfigDict();
}

}  // namespace

std::string place_of(std::string on, const ConfigDict& xp, const ConfigDict* config) {
  const bool typed = !on.empty();
  if (const Value given = xp.get("executor", Value()); !typed) {
    if (given.is<std::string>()) {
      on = given.as<std::string>();
    } else if (has_executor(xp) || any_has_executor(node_at(&xp, "jobs")) ||
               has_executor(node_at(config, "xm_job"))) {
      return kOwn;
    }
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
