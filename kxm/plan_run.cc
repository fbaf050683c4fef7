#include "kxm/plan_run_impl.h"

#include <algorithm>
#include <filesystem>

#include "konfig/error.h"
#include "konfig/json.h"
#include "kxm/address.h"
#include "kxm/arg_json.h"
#include "kxm/plan_maker_impl.h"

namespace kxm::detail {
namespace {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

Value value_at(const ConfigDict& node, const char* key) {
  try {
    return node.get(key, konfig::None());
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::required) return konfig::None();  // the job says so
    throw;
  }
}

// What aux.xid and aux.wid name, if that is something that was launched.
// With `any_unit` the experiment alone may be meant, if it has one unit.
std::optional<Address> launched_run(const ConfigDict& config, const fs::path& cwd, bool any_unit) {
  const Value aux = value_at(config, "aux");
  if (!aux.is<ConfigDict>()) return {};
  const Value xid = value_at(aux.as<ConfigDict>(), "xid");
  if (!xid.is<std::string>() && !xid.is<std::int64_t>()) return {};
  const std::string name = arg_to_text(xid);
  auto address = parse_address(name);
  std::error_code error;
  if (fs::exists(cwd / name, error)) return {};  // a folder wins
  // Other configs may keep anything there.
  if (konfig::to_json(config).find("from_xid") == std::string::npos) return {};
  if (!address) {
    throw Error(ErrorKind::value,
                "there is no folder '" + name +
                    "'; name a run by its folder, or by its number, such as 17/3");
  }
  const Value wid = value_at(aux.as<ConfigDict>(), "wid");
  if (!address->wid && !any_unit) {
    address->wid = wid.is<std::int64_t>() ? wid.as<std::int64_t>() : 1;
  }
  return address;
}

}  // namespace

std::optional<std::string> PlanMaker::folder_of_run(const SweepItem& item, int wid,
                                                    const JobSet& jobs) {
  if (!context_.run_folder || !trial_) return {};
  auto given_for_all = [&](const std::string& path) {
    return std::ranges::any_of(jobs.commands, [&](auto& job) { return job.has("cfg." + path); });
  };
  const auto config = trial_->config_of(item, [&](const std::string& path) {
    return (path == "aux" || path.starts_with("aux.")) && !given_for_all(path);
  });
  // A number alone, over the unit 1 that such configs begin with: of several none is meant.
  const konfig::Dict overrides = config_->from.overrides.to_dict();
  const auto given = [&](const std::string& path) {
    return overrides.find(path) != nullptr || item.job_kwargs.find("cfg." + path) != nullptr;
  };
  try {
    const auto address = launched_run(config, context_.cwd, given("aux.xid") && !given("aux.wid"));
    if (!address) return {};
    return context_.run_folder(*address);
  } catch (const Error& e) {
    throw Error(e.kind(), "unit " + std::to_string(wid) + ": cfg.aux.xid: " + e.message());
  }
}

void set_run(std::vector<std::string>& argv, const std::string& folder) {
  const std::string flag = "--cfg.aux.xid=";
  const std::string text = flag + config_arg_to_text(folder);
  const auto there =
      std::ranges::find_if(argv, [&](const std::string& arg) { return arg.starts_with(flag); });
  if (there != argv.end()) {
    *there = text;
  } else {
    argv.push_back(text);
  }
}

}  // namespace kxm::detail
