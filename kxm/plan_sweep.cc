// The points of a sweep, and what units may set.
#include <algorithm>

#include "konfig/implement.h"
#include "kxm/arg_json.h"
#include "kxm/plan_maker_impl.h"
#include "kxm/proxies.h"

namespace kxm::detail {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

// --xp.sweep=lr of a sweep that has no names.
void PlanMaker::check_sweep_name() const {
  if (xp_->sweep == Value("*")) return;
  const std::string type(xp_->sweep_info.type()->name);
  for (auto& name : sweep_names(xp_->sweep, {})) {
    if (name.empty()) continue;
    throw Error(ErrorKind::value,
                "xp.sweep=" + name + ": " + type.substr(type.rfind(':') + 1) +
                    " has one sweep, without a name; leave --xp.sweep out, or --xp.sweep=False "
                    "runs one unit");
  }
}

// --xp.sweep=lr,lr would run each unit twice.
void PlanMaker::check_named_once() const {
  auto names = sweep_names(xp_->sweep, {});
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  throw Error(ErrorKind::value,
              "xp.sweep: '" + *twice + "' is named twice; each sweep counts once");
}

void PlanMaker::read_points() {
  const Value& wanted = xp_->sweep;
  const bool off = wanted == Value(false);  // 0, too
  const bool named = !wanted.is_none() && !off;
  const SweepContext context{
      .sweep = wanted, .config = sources_.config, .kauldron_jobs = kauldron_};
  sweep = {SweepItem()};
  if (xp_->sweep_info && !off) {
    auto& ops = konfig::ops_of(xp_->sweep_info);
    if (named && ops.one && context_.dialect == Dialect::program) check_sweep_name();
    if (named || !ops.waits) {
      const void* object = xp_->sweep_info.object().get();
      sweep = ops.points(object, context);
      sweep_tags_ = ops.tags(object, context);
      if (named && !ops.one && context_.dialect == Dialect::program) check_named_once();
    }
  } else if (named) {
    plan_.warnings.push_back(
        "xp.sweep: there is no xp.sweep_info to take a sweep from; one unit "
        "runs. --sweep.PATH=[1,2] sweeps without one");
  }
}

// One of PlanContext::sweep. Files are shown as they were typed, and read from the kept copies.
SweepItem PlanMaker::typed_item(const konfig::Dict& given) const {
  const konfig::Dict item = with_proxies(given).as<konfig::Dict>();
  if (kauldron_) return encode_sweep_item(item);
  SweepItem out{.job_kwargs = item};
  for (auto& [key, files] : context_.swept_files) {
    const Value* file = item.find(Value(key));
    const auto kept =
        file && file->is<std::string>() ? files.find(file->as<std::string>()) : files.end();
    if (kept == files.end()) continue;
    if (out.ui_kwargs.size() == 0) {
      out.job_kwargs = {};
      for (auto& [k, v] : item) out.job_kwargs.set(k, v);
      out.ui_kwargs = item;
    }
    out.job_kwargs.set(key, file_path(kept->second));
  }
  return out;
}

// --sweep.PATH=[...]: every combination with the points that are there.
void PlanMaker::add_sweep_flags() {
  if (context_.sweep.empty()) return;
  std::vector<SweepItem> all;
  all.reserve(sweep.size() * context_.sweep.size());
  std::vector<SweepItem> more;
  for (auto& given : context_.sweep) more.push_back(typed_item(given));
  for (auto& point : sweep) {
    for (auto& item : more) {
      for (auto& [k, v] : item.job_kwargs) {
        if (!point.job_kwargs.find(k)) continue;
        throw konfig::Error(konfig::ErrorKind::value,
                            "--sweep." + item.shown().begin()->first.as<std::string>() +
                                ": the experiment's own sweep sets it, too; sweep it in one place");
      }
      SweepItem both{.encoded = kauldron_};
      for (auto* from : {&point, &item}) {
        for (auto& [k, v] : from->job_kwargs) {
          const bool plain = kauldron_ && !from->encoded;
          both.job_kwargs.set(k, plain ? Value(config_arg_to_text(v)) : v);
        }
        for (auto& [k, v] : from->shown()) both.ui_kwargs.set(k, v);
      }
      all.push_back(std::move(both));
    }
  }
  sweep = std::move(all);
  if (sweep_tags_.empty()) sweep_tags_ = {"🧹"};
}

// An orchestrator of one's own may have no use for the points.
void PlanMaker::remark_unused_sweep() {
  if (context_.sweep.empty()) return;
  const Value& key = context_.sweep.front().begin()->first;
  const auto has = [&](const PlannedUnit& unit) { return unit.args.find(key) != nullptr; };
  if (std::ranges::any_of(plan_.units, has)) return;
  plan_.warnings.push_back(
      "--sweep." + key.as<std::string>() +
      " has no effect on the first units: xp.orchestrator chooses them itself; "
      "its plan() finds the points in Orchestration::sweep");
}

// Both at once can only be a mistake.
void PlanMaker::check_typed(const std::string& key) const {
  const auto typed = context_.typed.find(key);
  if (typed == context_.typed.end() || context_.sweep.empty()) return;
  const std::string swept = kauldron_ && key.starts_with("cfg.") ? key.substr(4) : key;
  if (!context_.sweep.front().find(Value(swept))) return;
  throw Error(ErrorKind::value, typed->second + " and --sweep." + swept +
                                    ": one value for all units, and one for each; leave out one "
                                    "of these flags");
}

// "cfg.model" and "cfg.model.dim": what is left of the second depends on the order.
void PlanMaker::check_keys(const SweepItem& item, const JobSet& jobs, int wid) {
  std::string shape;
  for (auto& [k, v] : item.job_kwargs) shape += k.as<std::string>() + "\n";
  shape += std::to_string(reinterpret_cast<std::uintptr_t>(&jobs));
  if (!checked_.insert(shape).second) return;
  for (auto& command : jobs.commands) {
    std::vector<std::pair<std::string, bool>> keys;  // and whether it is swept
    for (auto& key : command.keys()) keys.emplace_back(key, false);
    for (auto& [k, v] : item.job_kwargs) {
      const std::string& key = k.as<std::string>();
      if (command.has(key)) check_typed(key);
      if (!command.has(key)) {
        keys.emplace_back(key, true);
      } else if (command.value(key) == Value(WU_DIR_PROXY) && !workdir_) {
        continue;  // the unit's folder, which the sweep names
      } else if (shadowed_.insert(key).second) {
        plan_.warnings.push_back("--" + key + " is given for all units and swept, too: job '" +
                                 command.job() + "' gets the value given for all");
      }
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto& [outer, outer_swept] = keys[i];
      if (outer.find('.') == outer.npos) continue;
      for (std::size_t j = i + 1; j < keys.size() && keys[j].first.starts_with(outer); ++j) {
        auto& [inner, inner_swept] = keys[j];
        const char next = inner[outer.size()];
        if (next != '.' && next != '[') continue;
        if (!outer_swept && !inner_swept && wid > 1) continue;
        auto origin = [](bool swept) { return swept ? " (swept)" : " (given for all units)"; };
        throw Error(ErrorKind::value, "job '" + command.job() + "': --" + outer +
                                          origin(outer_swept) + " and --" + inner +
                                          origin(inner_swept) +
                                          ": one is inside the other; set both in one value");
      }
    }
  }
}

// What was swept, as people read it: a value that is given for all units in place of the sweep's.
konfig::Dict PlanMaker::labels(const SweepItem& item, const JobSet& jobs) const {
  konfig::Dict out;
  const bool people = context_.dialect == Dialect::program;
  for (auto& [k, v] : item.shown()) out.set(k, people ? with_proxy_names(v) : v);
  if (item.ui_kwargs.size() == 0) {
    for (auto& [job, overlay] : read_overlays(item.per_job, this->jobs)) {
      for (auto& [k, v] : overlay.args) {
        out.set(job + "." + k.as<std::string>(), people ? with_proxy_names(v) : v);
      }
    }
  }
  if (shadowed_.empty() || !people) return out;
  for (auto& [k, v] : item.job_kwargs) {
    const std::string& key = k.as<std::string>();
    auto gets_given = [&](const Command& command) { return command.has(key); };
    if (!std::ranges::all_of(jobs.commands, gets_given)) continue;
    const Value& given = jobs.commands[0].value(key);
    const auto file = kept_name(given);
    if (!file && has_proxies(given)) continue;  // a folder is named after what it is for
    const std::string shown = kauldron_ && key.starts_with("cfg.") ? key.substr(4) : key;
    if (out.find(shown)) out.set(shown, file ? Value(*file) : shown_value(given));
  }
  return out;
}

}  // namespace kxm::detail
