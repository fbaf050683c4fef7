#include "kxm/relaunch.h"

#include <utility>

#include "base/file.h"
#include "konfig/json.h"
#include "konfig/value.h"
#include "kxm/find_run.h"
#include "loader/loader.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::Value;

class WithPrograms : public Steering {
 public:
  WithPrograms(std::shared_ptr<Steering> inner, std::map<std::string, std::string> programs)
      : inner_(std::move(inner)), programs_(std::move(programs)) {}

  Changes step(const Progress& progress) override {
    Changes changes = inner_->step(progress);
    Plan added;
    added.units = std::move(changes.added);
    use_programs(added, programs_);
    changes.added = std::move(added.units);
    return changes;
  }

 private:
  std::shared_ptr<Steering> inner_;
  std::map<std::string, std::string> programs_;
};

// Of a run that goes on: what it is planned with lives as long as it does.
class Again : public Steering {
 public:
  explicit Again(std::optional<LoadedConfig> config) : config_(std::move(config)) {}
  const LoadedConfig* config() const { return config_ ? &*config_ : nullptr; }
  void set(std::shared_ptr<Steering> inner) { inner_ = std::move(inner); }

  Changes step(const Progress& progress) override { return inner_->step(progress); }

 private:
  std::optional<LoadedConfig> config_;
  std::shared_ptr<Steering> inner_;
};

Resumed resumed(const Relaunch& from, const State& state, int xid) {
  if (!from.experiment_file.empty()) loader::load({.source = from.experiment_file});
  std::optional<LoadedConfig> config;
  if (!from.config.source.empty()) config = load_config(from.config);
  auto again = std::make_shared<Again>(std::move(config));
  PlanContext context{
      .xid = xid,
      .config = again->config(),
      // Planned again, so that the next unit gets the next number; these are there.
      .existing_units = state.next_wid(xid) - 1 - from.planned,
      .existing_title = state.experiment(xid)->title,
      .kd = from.kd,
      .cwd = from.cwd,
      .launch_dir = from.launch_dir,
      .kept_path = [kept = from.kept](const KeptFile& file) { return kept.at(file.name); },
      .run_folder = run_finder(state)};
  const Plan plan = make_plan(from.experiment, context);
  if (!plan.steering) return {.executor = plan.executor};
  again->set(with_programs(plan.steering, from.programs));
  return {.steering = again, .executor = plan.executor};
}

Dict dict_of(const std::map<std::string, std::string>& map) {
  Dict out;
  for (auto& [key, value] : map) out.set(key, value);
  return out;
}

std::map<std::string, std::string> map_of(const Value& dict) {
  std::map<std::string, std::string> out;
  for (auto& [key, value] : dict.as<Dict>()) {
    out[key.as<std::string>()] = value.as<std::string>();
  }
  return out;
}

}  // namespace

std::shared_ptr<Steering> with_programs(std::shared_ptr<Steering> steering,
                                        std::map<std::string, std::string> programs) {
  return std::make_shared<WithPrograms>(std::move(steering), std::move(programs));
}

std::string relaunch_json(const Relaunch& by) {
  const Dict all = {{"experiment", konfig::to_json(by.experiment)},
                    {"experiment_file", by.experiment_file},
                    {"config", Dict{{"source", by.config.source},
                                    {"parameter", by.config.config_parameter},
                                    {"overrides", konfig::to_json(by.config.overrides)}}},
                    {"kept", dict_of(by.kept)},
                    {"programs", dict_of(by.programs)},
                    {"kd", by.kd},
                    {"cwd", by.cwd},
                    {"launch_dir", by.launch_dir},
                    {"planned", by.planned}};
  return konfig::to_json(all) + "\n";
}

Resumed read_relaunch(const State& state, int xid) {
  const auto row = state.experiment(xid);
  if (!row) return {};
  const auto text = base::try_read_file(std::filesystem::path(row->home) / kRelaunch);
  if (!text) return {};
  const Dict all = konfig::parse_json(*text).as<Dict>();
  auto text_at = [&](const char* key) { return all.at(key).as<std::string>(); };
  const Dict config = all.at("config").as<Dict>();
  const Relaunch from{
      .experiment = konfig::config_from_json(text_at("experiment")),
      .experiment_file = text_at("experiment_file"),
      .config = {.source = config.at("source").as<std::string>(),
                 .config_parameter = config.at("parameter").as<std::string>(),
                 .overrides = konfig::config_from_json(config.at("overrides").as<std::string>())},
      .kept = map_of(all.at("kept")),
      .programs = map_of(all.at("programs")),
      .kd = text_at("kd"),
      .cwd = text_at("cwd"),
      .launch_dir = text_at("launch_dir"),
      .planned = static_cast<int>(all.at("planned").as<std::int64_t>())};
  return resumed(from, state, xid);
}

}  // namespace kxm
