#include "cli/session.h"

#include <algorithm>

#include "cli/config_source.h"
#include "cli/errors.h"
#include "cli/patch.h"
#include "konfig/error.h"
#include "kontext/path.h"
#include "loader/locations.h"

namespace cli {

flags::ConfigFlag take_flag(std::vector<std::string>& args, const std::string& name,
                            const std::string& default_source) {
  try {
    return flags::take_config_flag(args, name, default_source);
  } catch (const konfig::Error& e) {
    throw UsageError(e.what());
  }
}

namespace {

konfig::ConfigDict load_config(const loader::Request& request) {
  try {
    return loader::load(request);
  } catch (const konfig::Error& e) {
    throw e.with(advice_if_damaged(request.source));
  }
}

}  // namespace

Session::Session(std::vector<std::string> args) {
  // Before --cfg: its words that may be values are known by their position.
  patch_ = take_flag(args, "patch", "patch");
  flag_ = take_flag(args, "cfg");
  args_ = std::move(args);
  // `--cfg.seed 12`: whether 12 belongs to the flag depends on the field, so the config is needed
  // before the other arguments can be understood.
  const bool undecided = std::any_of(flag_.overrides.begin(), flag_.overrides.end(),
                                     [](const flags::Override& o) { return o.next.has_value(); });
  if (undecided && has_config()) config();
}

const konfig::ConfigDict& Session::config() {
  if (!config_) {
    konfig::ConfigDict cfg = full_config();
    if (!patch_.overrides.empty()) patches_ = apply(patch_of({}, patch_, args_), cfg, flag_);
    config_ = cfg;
  }
  return *config_;
}

const konfig::Dict& Session::patches() {
  config();
  return patches_;
}

konfig::ConfigDict Session::trial_config() {
  konfig::ConfigDict cfg = full_config();
  // Each evaluator is tried, also one that the user lets run later or in a job of its own.
  flags::ConfigFlag others = flag_;
  std::erase_if(others.overrides, [](const flags::Override& o) {
    const auto path = kontext::Path::parse(o.path);
    return path.size() > 2 && path[0] == "evals" && path[2] == "run";
  });
  Patch patch = patch_of(check_patch(), patch_, args_);
  if (patch.skip_eval) patch.skip_checkpointer = true;  // an evaluator may choose the best
  apply(patch, cfg, others);
  return cfg;
}

konfig::ConfigDict Session::reference_config() {
  konfig::ConfigDict cfg = full_config();
  apply(patch_of({}, patch_, args_), cfg, flag_);
  return cfg;
}

konfig::ConfigDict Session::full_config() {
  if (!has_config()) {
    throw UsageError("no config: add --cfg=NAME or --cfg=FILE (`kd config list` prints the names)");
  }
  load_types_for(flag_.source);
  loader::set_locations({});
  konfig::ConfigDict cfg = load_config(request());
  flags::apply_overrides(cfg, flag_, args_);
  for (auto& o : flag_.overrides) loader::forget_locations(o.path);
  return cfg;
}

loader::Request Session::request() const {
  return {.source = flag_.source,
          .args = flag_.args,
          .config_args = flags::config_args(flag_),
          .overrides =
              [flag = flag_, args = args_](const konfig::ConfigDict& cfg) {
                return flags::overridden_values(cfg, flag, args);
              },
          .locate = true};
}

}  // namespace cli
