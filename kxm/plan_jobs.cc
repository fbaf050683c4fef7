// The jobs of an experiment, and the files that they need.
#include <algorithm>
#include <filesystem>

#include "base/join.h"
#include "flags/config_args.h"
#include "konfig/implement.h"
#include "konfig/json.h"
#include "konfig/resolve.h"
#include "konfig/suggest.h"
#include "kxm/arg_json.h"
#include "kxm/merge.h"
#include "kxm/plan_maker_impl.h"
#include "kxm/targets_impl.h"

namespace kxm::detail {
namespace {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

ProvidedJobs provided_by(const konfig::Poly<JobsProvider>& provider, const LoadedConfig* config) {
  return konfig::ops_of(provider).jobs(provider.object().get(), {.config = config});
}

// What KauldronJobs reads, as text.
std::string jobs_key(const ConfigDict& config) {
  std::string out;
  for (const char* part : {"xm_job", "evals", "setup"}) {
    out += konfig::to_json(config.get(part, konfig::None())) + "\n";
  }
  return out;
}

// --xp.jobs.trian.priority=100
void check_known(const ResolvedJob& job, const ProvidedJobs& provided) {
  const auto is_it = [&](const ProvidedJob& other) { return other.name == job.key; };
  if (provided.jobs.empty() || std::ranges::any_of(provided.jobs, is_it)) return;
  if (!job.text("target").empty() || !job.verb.empty()) return;
  if (job.flag("use_interpreter", false)) return;
  std::vector<std::string> names;
  for (auto& other : provided.jobs) names.push_back(other.name);
  throw Error(ErrorKind::value, "xp.jobs." + job.key + ": the config has no such job" +
                                    konfig::did_you_mean(job.key, names) + " (it has " +
                                    base::join(names, ", ") +
                                    "); a job of your own needs a target: --xp.jobs." + job.key +
                                    ".target=./eval.sh");
}

// NAME:size=3 as __args__.size=3: what else gives or sweeps the argument is found by its name.
void name_config_args(ConfigProvider& from) {
  if (from.config_parameter.empty()) return;
  ConfigDict all;
  for (auto& arg : flags::parse_config_args(from.config_parameter)) {
    all.set("__args__." + arg.name, arg.value);
  }
  for (auto& [path, value] : from.overrides.items()) all.set(path.as<std::string>(), value);
  from.config_parameter.clear();
  from.overrides = all;
}

}  // namespace

// Where the config is now, and what its kept copy is called.
void PlanMaker::read_config() {
  if (!config_) return;
  if (context_.dialect == Dialect::program) name_config_args(config_->from);
  sources_.config = &*config_;
  const fs::path source = config_->from.source;
  if (config_->is_file()) {
    sources_.config_source = (fs::path(context_.cwd) / source).lexically_normal().string();
    sources_.config_name = "config" + source.extension().string();
  } else if (config_->from.source == "-") {
    sources_.config_name = "config.json";  // standard input is read only once
  }
}

void PlanMaker::read_provider() {
  if (!xp_->jobs_provider) return;
  kauldron_ = xp_->jobs_provider.holds<KauldronJobs>();
  provided_ = provided_by(xp_->jobs_provider, sources_.config);
}

void PlanMaker::read_jobs() {
  sources_.experiment = job_fields(given_);
  const Value jobs = node_.get("jobs", konfig::None());
  if (jobs.is<ConfigDict>()) sources_.jobs = flat_jobs(jobs.as<ConfigDict>());
  sources_.platforms = context_.platforms;
  sources_.job_wins = xp_->on_conflict == OnConflict::job;
  const JobSet& usual = sets_[""] = job_set(provided_);
  if (usual.resolved.empty()) {
    throw Error(
        ErrorKind::index,
        "xp.jobs: there is none; add one, for example --xp=single --xp.target=./train.sh, or "
        "a config with --cfg=");
  }
  auto takes_config = [](const ResolvedJob& job) { return job.cfg_flag == "cfg"; };
  if (std::any_of(usual.resolved.begin(), usual.resolved.end(), takes_config)) {
    trial_ = std::make_unique<OverrideTrial>(*config_);
  }
  read_executor();
}

// One for all jobs. The empty Borg that every node of the reference starts with is none.
void PlanMaker::read_executor() {
  const Dict* found = nullptr;
  for (auto& job : sets_.at("").resolved) {
    auto* value = job.params.find("executor");
    auto* given = value ? value->get_if<Dict>() : nullptr;
    if (!given || given->at(konfig::kQualname) == Value("xmanager.xm_abc:Borg")) continue;
    if (found && Value(*found) != Value(*given)) {
      throw Error(ErrorKind::unsupported,
                  "job '" + job.key +
                      "': its executor is not that of the other jobs; give one for all "
                      "of them as xp.executor");
    }
    found = given;
  }
  if (!found) return;
  if (plan_.executor_name) {
    throw Error(ErrorKind::value,
                "the experiment is to run on '" + *plan_.executor_name +
                    "' (--on=, xp.executor), but a job has an executor of its own, " +
                    params_repr(*found) + "; take one of them away");
  }
  const Value built = konfig::resolve(ConfigDict(*found));
  auto& object = built.as<konfig::Object>();
  plan_.executor.set_object(*object.type, object.ptr);
}

JobSet PlanMaker::job_set(const ProvidedJobs& provided) {
  JobSet out;
  out.resolved = resolve_jobs(sources_, provided);
  for (auto& job : out.resolved) {
    std::vector<std::string> argv;
    if (context_.dialect == Dialect::program) {
      if (job.requirements.is_tpu()) {
        throw Error(ErrorKind::unsupported, "job '" + job.key + "': platform '" +
                                                job.requirements.platform() + "': " + kNoTpus);
      }
      check_known(job, provided);
      argv = program_of(job, context_);
    } else if (job.text("target").empty()) {
      throw Error(ErrorKind::value, "job '" + job.key + "': no target");
    }
    Resources resources = job.requirements.resources();
    resources.place = job.text("cell");
    resources.container = job.text("container");
    out.resources.push_back(std::move(resources));
    out.commands.emplace_back(job, std::move(argv), context_.dialect, keep_files(job));
  }
  return out;
}

KeptFile PlanMaker::kept_file(const std::string& name, const Value& source,
                              const ResolvedJob& job) {
  KeptFile file{.name = name,
                .source = source.is<std::string>() ? source.as<std::string>() : source.repr()};
  if (context_.dialect != Dialect::program) return file;
  if (file.source.empty() && config_) {
    file.content = konfig::to_json(config_->config);
    return file;
  }
  file.source = user_file(file.source, context_);
  std::error_code error;
  if (!fs::exists(file.source, error)) {
    throw Error(ErrorKind::value,
                "job '" + job.key + "': files: there is no " + file.source + " for '" + name + "'");
  }
  return file;
}

std::map<std::string, std::string> PlanMaker::keep_files(const ResolvedJob& job) {
  std::map<std::string, std::string> out;
  auto* files = job.params.find("files");
  if (!files || !files->is<Dict>()) return out;
  for (auto& [k, v] : files->as<Dict>()) {
    KeptFile file = kept_file(k.as<std::string>(), v, job);
    auto it = std::find_if(plan_.files.begin(), plan_.files.end(), [&](const KeptFile& kept) {
      return kept.name == file.name && kept.source == file.source;
    });
    if (it == plan_.files.end()) {
      if (context_.kept_path) {
        file.path = context_.kept_path(file);
      } else {
        file.path = xp_->root_dir ? dirs_->xp_dir() + "/.kxm/files/" + file.name : file.source;
      }
      it = plan_.files.insert(it, file);
    }
    out[file.name] = it->path;
  }
  return out;
}

// Of KauldronJobs, what a sweep sets below xm_job or evals changes the unit's jobs; arguments of
// get_config may do so as well.
const JobSet& PlanMaker::jobs_of(const SweepItem& item) {
  const auto decides = [](std::string_view path) {
    return path.starts_with("xm_job") || path.starts_with("evals");
  };
  std::string key;
  bool has_args = false;
  for (auto& [k, v] : item.job_kwargs) {
    if (!kauldron_) break;
    const std::string_view name = k.as<std::string>();
    if (!name.starts_with("cfg.")) continue;
    const std::string_view path = name.substr(4);
    if (decides(path)) key += std::string(path) + "=" + arg_to_text(v) + "\n";
    has_args |= path.starts_with("__args__.") && context_.try_overrides;
  }
  if (key.empty() && !has_args) return sets_.at("");
  const ConfigDict config = trial_->config_of(item, decides);
  if (has_args) {
    key = jobs_key(config);
    if (key == jobs_key(config_->config)) return sets_.at("");
  }
  auto it = sets_.find(key);
  if (it != sets_.end()) return it->second;
  LoadedConfig changed = *config_;
  changed.config = config;
  return sets_.emplace(key, job_set(provided_by(xp_->jobs_provider, &changed))).first->second;
}

}  // namespace kxm::detail
