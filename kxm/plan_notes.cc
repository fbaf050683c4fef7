// What people read: title, tags, texts, remarks.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "konfig/load.h"
#include "kxm/merge.h"
#include "kxm/plan_maker_impl.h"
#include "kxm/text_list_impl.h"

namespace kxm::detail {

namespace fs = std::filesystem;

namespace {

using konfig::Dict;
using konfig::Value;

constexpr const char* kReferenceTitle = "Kauldron";
constexpr int kDefaultPriority = 200;

// "train.sh" of "./train.sh", "train" of "//dir:train"; "" if these parameters name no program.
std::string program_of(const Dict& params) {
  for (const char* field : {"interpreter_info.script_path", "target"}) {
    const Value* given = find_path(params, field);
    if (!given || !given->is<std::string>()) continue;
    const std::string& program = given->as<std::string>();
    return program.substr(program.find_last_of("/:") + 1);
  }
  return "";
}

constexpr std::size_t kMaxName = 200;  // bytes

// It is in every table, and in folders that are called after it.
const std::string& checked_name(const std::string& name, Dialect dialect) {
  if (dialect == Dialect::xmanager) return name;
  if (name.empty()) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "xp.name: expected a name, got ''; leave it out for that of the config");
  }
  if (name.size() <= kMaxName) return name;
  throw konfig::Error(konfig::ErrorKind::value,
                      "xp.name: too long: " + std::to_string(name.size()) + " bytes, at most " +
                          std::to_string(kMaxName) + "; xp.note takes a longer text");
}

// After the program of the first job.
std::string title_without_config(const Dict& experiment) {
  std::string out = program_of(experiment);
  const Value* jobs = experiment.find("jobs");
  for (auto& [name, job] : jobs && jobs->is<Dict>() ? jobs->as<Dict>() : Dict()) {
    if (out.empty() && job.is<Dict>()) out = program_of(job.as<Dict>());
  }
  return out.empty() ? "experiment" : out;
}

}  // namespace

std::string PlanMaker::title() const {
  if (context_.existing_title) return *context_.existing_title;
  if (xp_->name) return checked_name(*xp_->name, context_.dialect);
  if (!config_) {
    return context_.dialect == Dialect::program ? title_without_config(given_) : kReferenceTitle;
  }
  const std::string stem = config_->stem();
  return provided_.title.value_or(stem == "-" ? "stdin" : stem);
}

std::vector<std::string> PlanMaker::tags() const {
  const ResolvedJob& first = first_job();
  const bool emoji = xp_->emoji_tags.value_or(false);
  auto out = text_list(xp_->tags, "tags");
  out.emplace_back("🍲");
  auto* given = first.params.find("priority");
  const auto priority =
      given && given->is<std::int64_t>() ? given->as<std::int64_t>() : kDefaultPriority;
  if (priority != kDefaultPriority) {
    constexpr int kBatch = 100;
    const char* mark = priority > kDefaultPriority ? "❗" : priority < kBatch ? "🐶" : "❕";
    out.push_back((emoji ? mark : "p:") + std::to_string(priority));
  }
  out.push_back(first.requirements.platform());
  if (plan_.cell) out.push_back((emoji ? "🌎" : "cell:") + *plan_.cell);
  out.insert(out.end(), sweep_tags_.begin(), sweep_tags_.end());
  out.insert(out.end(), provided_.tags.begin(), provided_.tags.end());
  return out;
}

void PlanMaker::attach_texts() {
  auto text = [&](const std::string& title, const std::string& content) {
    plan_.texts.emplace_back(title, content);
  };
  text("kxm.Experiment", params_repr(given_));
  if (!sources_.config_source.empty()) {
    if (auto content = base::try_read_file(sources_.config_source)) {
      text("Content of " + sources_.config_source, *content);
    }
  }
  std::string jobs;
  for (auto& job : sets_.at("").resolved) jobs += job.key + " = " + params_repr(job.params) + "\n";
  text("Jobs", jobs);
}

void PlanMaker::remark() {
  auto say = [&](const std::string& text) { plan_.warnings.push_back(text); };
  for (const char* field : {"importance", "execution_settings", "attribution_urls"}) {
    if (given_.find(field)) say(std::string("xp.") + field + ": accepted, not used");
  }
  for (const char* field : {"name", "note", "tags"}) {
    const Value* given = given_.find(field);
    if (!context_.existing_title || !given || *given == Value(*context_.existing_title)) continue;
    say(std::string("xp.") + field + ": not used: experiment " + std::to_string(plan_.xid) +
        " keeps what it was launched with");
  }
  const auto& all = sets_.at("").resolved;
  const bool given = context_.config && context_.dialect == Dialect::program;
  if (given && std::ranges::none_of(all, [](auto& job) { return !job.cfg_flag.empty(); })) {
    say("--cfg: no job gets the config; kxm.CFG_FLAG_VALUES in an argument passes it on");
  }
  std::set<std::string> said;
  for (auto& job : all) {
    for (const char* field : {"citc_source", "constraints", "bazel_args"}) {
      if (job.params.find(field) && said.insert(field).second) {
        say(std::string(field) + ": accepted, not used");
      }
    }
    if (job.requirements.amounts.contains("disk") && said.insert("disk").second) {
      say("requirements.disk: accepted, not used");
    }
    for (auto& [name, value] : job.requirements.others) {
      if (said.insert(name.as<std::string>()).second) {
        say("requirements." + name.as<std::string>() + ": accepted, not used");
      }
    }
    if (find_path(job.params, "debug.pytype") && said.insert("pytype").second) {
      say("debug.pytype: accepted, not used");
    }
    const bool script = find_path(job.params, "interpreter_info.script_path") != nullptr;
    if (script && !job.flag("use_interpreter", false) && said.insert("script_path").second) {
      say("interpreter_info.script_path has no effect without use_interpreter");
    }
    if (find_path(job.params, "interpreter_info.mpm") && said.insert("mpm").second) {
      say("interpreter_info.mpm: accepted, not used; the python3 of the machine runs scripts");
    }
    auto* executor = job.params.find("executor");
    if (executor && executor->is<Dict>() && said.insert("executor").second) {
      const Value* name = executor->as<Dict>().find(konfig::kQualname);
      if (name && *name == Value("xmanager.xm_abc:Borg")) {
        say("executor: the options of Borg are accepted, not used; xp.retries repeats failed jobs");
      }
    }
    for (auto& [k, v] : job.params.find("args") && job.params.at("args").is<Dict>()
                            ? job.params.at("args").as<Dict>()
                            : Dict()) {
      if (v == Value(CFG_FLAG_VALUES)) {
        say("job '" + job.key + "': args." + k.as<std::string>() +
            " stands for the config of --cfg=, which is not given: it is passed as it is");
      }
    }
  }
}

// Folders elsewhere, and names of folders that nobody asks for.
void PlanMaker::remark_folders() {
  if (!unknown_.empty() && !old_folder_) {
    plan_.warnings.push_back(unknown_ +
                             " has the records of an experiment that this state does not "
                             "know; `kd state rebuild " +
                             fs::path(unknown_).parent_path().string() +
                             "` adds all that are there");
  }
  if (other_place_) {
    plan_.warnings.push_back("xp.root_dir: not used: experiment " + std::to_string(plan_.xid) +
                             " keeps its folder " + context_.existing_dir);
  }
  if (!outside_.empty()) {
    plan_.warnings.push_back("xp.subdir_format.wu_dirname: " + outside_ +
                             " is outside of the experiment's folder " + dirs_->xp_dir());
  }
  const bool asked = std::ranges::any_of(plan_.units, [](auto& unit) { return !unit.dir.empty(); });
  if (find_path(given_, "subdir_format.wu_dirname") && !asked) {
    plan_.warnings.push_back(
        "xp.subdir_format.wu_dirname has no effect: no job asks for the folder of its unit "
        "(kxm.WU_DIR_PROXY in an argument)");
  }
  if (find_path(given_, "subdir_format.xp_dirname") && !dirs_->used()) {
    plan_.warnings.push_back("xp.subdir_format.xp_dirname has no effect without xp.root_dir");
  }
}

}  // namespace kxm::detail
