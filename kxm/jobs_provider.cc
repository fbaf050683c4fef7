#include "kxm/jobs_provider.h"

#include <algorithm>
#include <map>

#include "base/join.h"
#include "konfig/registry.h"
#include "konfig/type.h"
#include "kxm/merge.h"
#include "kxm/proxies.h"

namespace kxm {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

constexpr const char* kEvalOnly = "eval_only";  // the group of along-train evaluators there

ConfigDict node_at(const ConfigDict& config, const char* key) {
  const Value found = config.get(key, konfig::None());
  return found.is<ConfigDict>() ? found.as<ConfigDict>() : ConfigDict();
}

bool is_eval_only(const ConfigDict& config) {
  return node_at(config, "setup").get("eval_only", false) == Value(true);
}

enum class Runs { in_training, alone };

Runs runs_of(const ConfigDict& run, const std::string& evaluator) {
  const std::string name = run.qualname();
  auto* symbol = name.empty() ? nullptr : konfig::find_symbol(name);
  auto* type = symbol ? symbol->type : nullptr;
  if (name.find(":evals.Standalone") != name.npos || (type && type->find("job_group"))) {
    return Runs::alone;
  }
  const bool known = name.ends_with(":evals.EveryNSteps") || name.ends_with(":evals.Once") ||
                     name.ends_with(":evals.Final");
  if (known || (symbol && symbol->interface == "kd::RunStrategy")) return Runs::in_training;
  throw Error(ErrorKind::type, "cfg.evals." + evaluator + ".run: '" + name +
                                   "' is no way to run an evaluator; use "
                                   "kd.evals.StandaloneEveryCheckpoint, EveryNSteps or Once");
}

// The job that several evaluators share.
struct EvalJob {
  std::vector<std::string> names;
  Dict params;
};

class Reader {
 public:
  explicit Reader(const LoadedConfig& config) : config_(config.config) {
    train_ = job_fields(given_params(node_at(config_, "xm_job")));
    auto* target = train_.find("target");
    target_ = target && target->is<std::string>() ? target->as<std::string>() : "";
  }

  ProvidedJobs jobs(const std::string& stem) const {
    ProvidedJobs out;
    if (!is_eval_only(config_)) {
      out.jobs.push_back({.name = "train",
                          .job = node(merge(base({}), train_, {.left = {}, .right = {}})),
                          .role = Role::train,
                          .verb = "train",
                          .flag = "cfg.xm_job"});
    }
    std::vector<std::pair<std::string, EvalJob>> groups;
    for (auto& [key, evaluator] : node_at(config_, "evals").items()) {
      if (evaluator.is<ConfigDict>())
        add(groups, key.as<std::string>(), evaluator.as<ConfigDict>());
    }
    for (auto& [name, eval] : groups) {
      out.jobs.push_back({.name = name,
                          .job = node(merge(base(eval.names), eval.params)),
                          .role = Role::evaluate,
                          .verb = "eval",
                          .flag = "cfg.evals." + eval.names[0] + ".run"});
    }
    // The folder of the target is the project.
    const auto end = target_.find(':');
    if (!target_.starts_with("//") || end == target_.npos) {
      out.title = stem;
      return out;
    }
    const auto begin = target_.rfind('/', end) + 1;
    const std::string project = target_.substr(begin, end - begin);
    out.title = project + "." + stem;
    out.tags = {project};
    return out;
  }

 private:
  Dict base(const std::vector<std::string>& evaluators) const {
    Dict args{{"cfg", CFG_FLAG_VALUES}, {"cfg.workdir", WU_DIR_PROXY}};
    if (!evaluators.empty()) args.set("eval_names", base::join(evaluators, ","));
    Dict out{{konfig::kQualname, "kauldron.kxm:Job"}};
    if (!target_.empty()) out.set("target", target_);
    out.set("args", args);
    return out;
  }

  static ConfigDict node(const Value& params) { return ConfigDict(params.as<Dict>()); }

  void add(std::vector<std::pair<std::string, EvalJob>>& groups, const std::string& name,
           const ConfigDict& evaluator) const {
    const Value run = evaluator.get("run", konfig::None());
    if (!run.is<ConfigDict>()) return;
    auto& strategy = run.as<ConfigDict>();
    const bool alone = runs_of(strategy, name) == Runs::alone;
    if (!alone && !is_eval_only(config_)) return;
    const Value given = alone ? strategy.get("job_group", konfig::None()) : Value(kEvalOnly);
    const std::string group = given.is<std::string>() ? given.as<std::string>() : name;
    const Dict params = alone ? job_fields(given_params(strategy)) : train_;
    auto it = std::find_if(groups.begin(), groups.end(),
                           [&](auto& entry) { return entry.first == group; });
    if (it == groups.end()) {
      groups.push_back({group, {.names = {name}, .params = params}});
      return;
    }
    auto flag = [](const std::string& evaluator) {
      return [evaluator](const std::string& path) {
        return "--cfg.evals." + evaluator + ".run." + path;
      };
    };
    try {
      it->second.params = merge(it->second.params, params,
                                {.left = flag(it->second.names[0]),
                                 .right = flag(name),
                                 .advice = "give both the same, or each a job_group of its own"})
                              .as<Dict>();
    } catch (const Error& e) {
      throw Error(e.kind(), "job_group '" + group + "': its evaluators share one job: " + e.what());
    }
    it->second.names.push_back(name);
  }

  const ConfigDict& config_;
  Dict train_;
  std::string target_;
};

}  // namespace

ProvidedJobs KauldronJobs::jobs(const JobsContext& context) const {
  if (!context.config) {
    throw Error(ErrorKind::value,
                "xp.jobs_provider: KauldronJobs takes its jobs from a config; add "
                "--cfg=path/to/config.py, or --xp=single to run a program");
  }
  return Reader(*context.config).jobs(context.config->stem());
}

}  // namespace kxm
