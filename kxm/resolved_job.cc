#include <algorithm>

#include "konfig/suggest.h"
#include "konfig/type.h"
#include "kxm/argv.h"
#include "kxm/job.h"
#include "kxm/merge.h"
#include "kxm/proxies.h"
#include "kxm/python_text_impl.h"
#include "kxm/resolved_job_impl.h"

namespace kxm::detail {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

// A job on its way: what was given, and where.
struct Draft {
  ProvidedJob from;
  Dict params;
  std::vector<std::pair<std::string, Dict>> origins;  // "--cfg.xm_job." and what is set there

  std::string flag(const std::string& path) const {
    for (auto& [prefix, given] : origins) {
      if (find_path(given, path)) return prefix + path;
    }
    return origins.empty() ? path : origins[0].first + path;
  }
};

// Where the parameters of a job were given: at the experiment or at the job.
struct FlagsOf {
  const Dict& experiment;
  const Draft& draft;
  std::string name(const std::string& path) const {
    return find_path(experiment, path) ? "--xp." + path : draft.flag(path);
  }
  bool of_both(const std::string& a, const std::string& b) const {
    return (find_path(experiment, a) != nullptr) != (find_path(experiment, b) != nullptr);
  }
};

void check_fields(const Dict& params, const std::string& prefix) {
  auto& type = konfig::type_of<Job>();
  std::vector<std::string> names;
  for (auto& field : type.fields) names.emplace_back(field.name);
  for (auto& [k, v] : params) {
    const std::string key = k.is<std::string>() ? k.as<std::string>() : k.repr();
    if (key == konfig::kQualname || type.find(key)) continue;
    throw Error(ErrorKind::type,
                prefix + key + ": a job has no such field" + konfig::did_you_mean(key, names));
  }
}

// The one argument that is CFG_FLAG_VALUES becomes the config and its overrides.
void expand_config(ResolvedJob& job, const JobSources& sources) {
  auto* args = job.params.find("args");
  if (!args || !args->is<Dict>()) return;
  std::vector<std::string> found;
  for (auto& [k, v] : args->as<Dict>()) {
    if (v == Value(CFG_FLAG_VALUES)) found.push_back(k.as<std::string>());
  }
  if (found.size() > 1) {
    throw Error(ErrorKind::value, "args." + found[0] + " and args." + found[1] +
                                      " are both CFG_FLAG_VALUES; one argument takes the config");
  }
  if (found.empty() || !sources.config) return;
  auto& from = sources.config->from;
  const std::string parameter = from.config_parameter.empty() ? "" : ":" + from.config_parameter;
  const bool file = !sources.config_name.empty();
  job.cfg_flag = found[0];
  Dict out;
  for (auto& [k, v] : args->as<Dict>()) {
    const bool here = k == Value(job.cfg_flag);
    out.set(k, here ? Value((file ? file_path(sources.config_name) : from.source) + parameter) : v);
  }
  for (auto& [path, value] : from.overrides.items()) {
    out.set(job.cfg_flag + "." + path.as<std::string>(), with_proxies(value));
  }
  job.params.set("args", out);
  if (!file) return;
  Dict files;
  if (auto* given = job.params.find("files"); given && given->is<Dict>()) {
    for (auto& [k, v] : given->as<Dict>()) files.set(k, v);
  }
  files.set(sources.config_name, sources.config_source);
  job.params.set("files", files);
}

// What gets the config as --cfg= and names no program is for `kd`.
void run_kd(ResolvedJob& job) {
  if (job.cfg_flag != "cfg" || !job.verb.empty() || !job.text("target").empty()) return;
  if (job.flag("use_interpreter", false)) return;
  const bool evaluates = find_path(job.params, "args.eval_names") != nullptr;
  job.verb = evaluates ? "eval" : "train";
  job.role = evaluates ? Role::evaluate : Role::train;
}

// Variables are text; True is "True", as in the reference.
void env_as_text(ResolvedJob& job) {
  auto* given = job.params.find("env_vars");
  if (!given || !given->is<Dict>()) return;
  Dict out;
  for (auto& [k, v] : given->as<Dict>()) {
    check_env_name(k.as<std::string>());
    out.set(k, v.is<std::string>() ? v : Value(python_repr(v)));
  }
  job.params.set("env_vars", out);
}

// The flags of a platform and of requirements that do not go together.
[[noreturn]] void refuse_both(const Requirements& platform, const Dict& params, const Error& e,
                              const FlagsOf& flags) {
  for (auto& [key, value] : params.at("requirements").as<Dict>()) {
    if (key == Value(konfig::kQualname)) continue;
    try {
      Requirements both = platform;
      add_requirements(both, {{key, value}});
    } catch (const Error&) {
      const std::string field = "requirements." + key.as<std::string>();
      throw Error(
          ErrorKind::value,
          flags.name("platform") + " is " + params_repr(params.at("platform")) + ", but " +
              flags.name(field) + " is " + params_repr(value) +
              ": conflicting values; give one of them" +
              (flags.of_both("platform", field) ? ", or --xp.on_conflict=job to let the job's count"
                                                : ""));
    }
  }
  throw e;
}

Requirements requirements_of(const Dict& params, const JobSources& sources, const FlagsOf& flags) {
  Requirements out;
  auto* platform = params.find("platform");
  if (platform && platform->is<std::string>()) {
    add_platform(out, platform->as<std::string>(), sources.platforms);
  }
  if (auto* fields = params.find("requirements"); fields && fields->is<Dict>()) {
    const Requirements alone = out;
    try {
      add_requirements(out, fields->as<Dict>());
    } catch (const Error& e) {
      if (!platform) throw;
      refuse_both(alone, params, e, flags);
    }
  }
  return out;
}

// `own` are the job's parameters alone: where they win, its accelerator takes the place of the
// experiment's, in whichever of the two fields each is given.
void read_requirements(ResolvedJob& job, const Dict& own, const JobSources& sources,
                       const Draft& draft) {
  const FlagsOf flags{sources.experiment, draft};
  if (sources.job_wins) {
    job.requirements = merged(requirements_of(sources.experiment, sources, flags),
                              requirements_of(own, sources, flags));
    if (job.params.find("requirements")) job.params.set("requirements", job.requirements.fields());
  } else {
    job.requirements = requirements_of(job.params, sources, flags);
  }
  job.params.set("platform", job.requirements.platform());
}

ResolvedJob resolve_job(const Draft& draft, const JobSources& sources) {
  ResolvedJob job{.key = draft.from.name,
                  .params = draft.params,
                  .role = draft.from.role,
                  .verb = draft.from.verb};
  expand_config(job, sources);
  const Dict own = job.params;
  // The names of jobs are their own.
  const Dict experiment = replace_params(sources.experiment, {{"name", std::nullopt}});
  const bool wins = sources.job_wins;
  job.params = merge(experiment, job.params,
                     {.left = [](const std::string& path) { return "--xp." + path; },
                      .right = [&](const std::string& path) { return draft.flag(path); },
                      .right_wins = wins})
                   .as<Dict>();
  if (job.cfg_flag.empty()) expand_config(job, sources);  // it may be an argument of all jobs
  run_kd(job);
  env_as_text(job);
  read_requirements(job, own, sources, draft);
  return job;
}

}  // namespace

std::string ResolvedJob::text(const char* field) const {
  auto* value = params.find(field);
  return value && value->is<std::string>() ? value->as<std::string>() : "";
}
bool ResolvedJob::flag(const char* field, bool otherwise) const {
  auto* value = params.find(field);
  return value && value->is<bool>() ? value->as<bool>() : otherwise;
}

std::vector<std::pair<std::string, ConfigDict>> flat_jobs(const ConfigDict& jobs) {
  std::vector<std::pair<std::string, ConfigDict>> out;
  for (auto& [k, v] : jobs.items()) {
    if (!v.is<ConfigDict>()) continue;
    const std::string name = k.as<std::string>();
    auto& node = v.as<ConfigDict>();
    if (!node.qualname().ends_with(":JobGroup")) {
      out.emplace_back(name, node);
      continue;
    }
    for (auto& [inner, job] : flat_jobs(node)) out.emplace_back(name + "_" + inner, job);
  }
  return out;
}

std::vector<ResolvedJob> resolve_jobs(const JobSources& sources, const ProvidedJobs& provided) {
  std::vector<Draft> drafts;
  for (auto& job : provided.jobs) {
    const std::string flag = job.flag.empty() ? "xp.jobs." + job.name : job.flag;
    Dict given = given_params(job.job);
    check_fields(given, "--" + flag + ".");
    Dict params = job_fields(given);
    if (!params.find("name")) params.set("name", job.name);
    drafts.push_back({.from = job, .params = params, .origins = {{"--" + flag + ".", given}}});
  }
  for (auto& [name, node] : sources.jobs) {
    const std::string prefix = "--xp.jobs." + name + ".";
    const Dict given = given_params(node);
    check_fields(given, prefix);
    const Dict params = job_fields(given);
    auto it = std::find_if(drafts.begin(), drafts.end(),
                           [&, &name = name](auto& draft) { return draft.from.name == name; });
    if (it == drafts.end()) {
      drafts.push_back(
          {.from = {.name = name, .job = node}, .params = params, .origins = {{prefix, given}}});
      continue;
    }
    try {
      it->params = merge(it->params, params,
                         {.left = [&](const std::string& path) { return it->flag(path); },
                          .right = [&](const std::string& path) { return prefix + path; }})
                       .as<Dict>();
    } catch (const Error& e) {
      throw Error(e.kind(), "job '" + name + "': " + e.what());
    }
    it->origins.emplace_back(prefix, given);
  }
  std::vector<ResolvedJob> out;
  for (auto& draft : drafts) {
    try {
      out.push_back(resolve_job(draft, sources));
    } catch (const Error& e) {
      throw Error(e.kind(), "job '" + draft.from.name + "': " + e.what());
    }
  }
  return out;
}

}  // namespace kxm::detail
