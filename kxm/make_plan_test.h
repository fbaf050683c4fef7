// What tests of make_plan share: small configs, and their plans.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "konfig/konfig.h"
#include "konfig/lower.h"
#include "kxm/experiments.h"
#include "kxm/make_plan.h"

namespace kxm {

// A small training config, as one of --cfg=.
inline konfig::ConfigDict trainer() {
  return konfig::ConfigDict{{"seed", 1},
                            {"lr", 0.1},
                            {"name", "x"},
                            {"model", konfig::ConfigDict{{"dim", 8}}},
                            {"setup", konfig::ConfigDict{{"eval_only", false}}},
                            {"evals", konfig::ConfigDict()},
                            {"xm_job", konfig::call("kauldron.kxm:Job")}};
}
inline konfig::ConfigDict standalone(const konfig::Dict& fields) {
  konfig::Dict all{{konfig::kQualname, "kauldron.kd:evals.StandaloneEveryCheckpoint"}};
  for (auto& [k, v] : fields) all.set(k, v);
  return konfig::ConfigDict{{"run", konfig::ConfigDict(all)}};
}

inline LoadedConfig loaded(const konfig::ConfigDict& config,
                           const konfig::ConfigDict& overrides = {}) {
  LoadedConfig out;
  out.from.source = "my_config";
  out.from.overrides = overrides;
  out.config = config;
  out.loaded_sweeps = std::make_shared<LoadedConfig::Sweeps>(
      LoadedConfig::Sweeps{{"", {konfig::Dict{{"seed", 1}}, konfig::Dict{{"seed", 2}}}},
                           {"lr", {konfig::Dict{{"lr", 0.5}}}}});
  return out;
}

inline konfig::ConfigDict kd_base(const konfig::Dict& fields = {}) {
  std::vector<std::string> none;
  konfig::ConfigDict xp = load_experiment({.name = "xp", .source = "kd_base"}, none);
  for (auto& [k, v] : fields) xp.set(k, v);
  return xp;
}

inline Plan plan_of(const konfig::ConfigDict& xp, const LoadedConfig* config = nullptr) {
  return make_plan(xp, {.xid = 7, .author = "me", .config = config, .kd = "/bin/kd", .cwd = "/w"});
}
inline Plan plan_of(const Experiment& xp) { return plan_of(konfig::lower(xp)); }

}  // namespace kxm
