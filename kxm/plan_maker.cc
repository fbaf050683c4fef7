#include "kxm/plan_maker_impl.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>

#include "base/join.h"
#include "konfig/implement.h"
#include "konfig/resolve.h"
#include "kxm/argv.h"
#include "kxm/merge.h"
#include "kxm/plan_run_impl.h"
#include "kxm/targets_impl.h"

namespace kxm::detail {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

std::string user_name() {
  if (const passwd* user = getpwuid(getuid())) return user->pw_name;
  return std::to_string(getuid());
}

// The proxies of one unit.
class UnitValues : public ProxyValues {
 public:
  UnitValues(Dirs& dirs, Dialect dialect, int wid, const Dict& kwargs,
             std::optional<std::string> dir)
      : dirs_(dirs), dialect_(dialect), wid_(wid), kwargs_(kwargs), dir_(std::move(dir)) {}
  std::string wu_dir() override {
    if (!dir_) dir_ = dirs_.wu_dir(wid_, kwargs_);
    return *dir_;
  }
  std::string xp_dir() override { return dirs_.xp_dir(); }
  const std::string* file(std::string_view name) override {
    auto& files = command->files();
    auto it = files.find(std::string(name));
    if (it != files.end()) return &it->second;
    if (dialect_ == Dialect::xmanager) return nullptr;  // it stays as it is
    const std::string known = base::join(files, ", ", [](auto& file) { return file.first; });
    throw Error(ErrorKind::value,
                "job '" + command->job() + "': kxm.file_path(\"" + std::string(name) + "\"): " +
                    (known.empty() ? "the job has no files" : "the job's files are " + known) +
                    "; name it in `files` of the job");
  }
  const Command* command = nullptr;
  const std::optional<std::string>& dir() const { return dir_; }

 private:
  Dirs& dirs_;
  Dialect dialect_;
  int wid_;
  const Dict& kwargs_;
  std::optional<std::string> dir_;
};

}  // namespace

PlanMaker::PlanMaker(const ConfigDict& experiment, const PlanContext& context)
    : node_(experiment), context_(context) {
  if (context_.cwd.empty()) context_.cwd = std::filesystem::current_path().string();
  if (context_.author.empty()) context_.author = user_name();
  // --xp.executor=local is a name; objects are built from nodes.
  if (const Value executor = node_.get("executor", konfig::None()); executor.is<std::string>()) {
    plan_.executor_name = executor.as<std::string>();
    node_ = node_.shallow_copy();
    node_.erase("executor");
  }
  try {
    xp_ = konfig::resolve<Experiment>(node_);
  } catch (const Error& e) {
    // Without the experiment that konfig prints below: the path says enough.
    throw Error(e.kind(), konfig::join_path("xp", e.path()) + ": " +
                              e.message().substr(0, e.message().find("\n  in ")));
  }
  if (xp_->root_dir == "" && context_.dialect == Dialect::program) {
    throw Error(ErrorKind::value,
                "xp.root_dir: expected a folder, got ''; --xp.root_dir=. is the "
                "one you are in");
  }
  given_ = given_params(node_);
  if (context.config) {
    config_ = *context.config;
  } else if (xp_->cfg_provider) {
    config_ = load_config(*xp_->cfg_provider);
  }
}

void PlanMaker::make_dirs(int num_units) {
  DirContext at{.xid = plan_.xid,
                .title = plan_.title,
                .author = plan_.author,
                .cell = plan_.cell,
                .num_units = num_units};
  konfig::Poly<DirFormat> format = xp_->subdir_format;
  if (!format) format = SubdirFormat();
  dirs_ = std::make_unique<Dirs>(xp_->root_dir, format, at);
  dirs_->set_taken(context_.existing_dirs);
  if (context_.dialect == Dialect::program) dirs_->set_base(context_.cwd);
  if (context_.existing_dir.empty()) return;
  other_place_ = xp_->root_dir && dirs_->xp_dir() != context_.existing_dir;
  dirs_->set_xp_dir(context_.existing_dir);
}

void PlanMaker::read_limits() {
  auto at_least = [](int least, const std::optional<int>& value, const char* field, int existing) {
    if (value && *value < least) {
      throw Error(ErrorKind::value, std::string("xp.") + field + ": expected " +
                                        std::to_string(least) + " or more, got " +
                                        std::to_string(*value));
    }
    return value.value_or(existing);
  };
  plan_.max_parallel =
      at_least(1, xp_->max_parallel, "max_parallel", context_.existing_max_parallel);
  plan_.retries = at_least(0, xp_->retries, "retries", context_.existing_retries);
  plan_.fail_fast = xp_->fail_fast.value_or(context_.existing_fail_fast);
  plan_.tensorboard = xp_->tensorboard.value_or(false) ||
                      xp_->add_tensorboard_borg.value_or(false) ||
                      xp_->add_tensorboard_corp.value_or(false);
  for (auto& secret : xp_->secrets) check_env_name(secret);
}

Orchestration::Unit PlanMaker::add(const SweepItem& item) {
  const int wid = context_.existing_units + ++units_;
  if (trial_ && context_.try_overrides) trial_->check(wid, item);
  const JobSet& jobs = jobs_of(item);
  check_keys(item, jobs, wid);
  const auto overlays = overlays_of(item, wid);
  PlannedUnit& unit = added_->emplace_back();
  unit.wid = wid;
  unit.identity = "sweep_" + std::to_string(wid - 1);
  unit.args = labels(item, jobs);
  const auto given = given_folder(item, wid);
  UnitValues values(*dirs_, context_.dialect, wid, unit.args, given);
  const std::optional<std::string> run = folder_of_run(item, wid, jobs);
  unit.jobs.resize(jobs.resolved.size());
  for (std::size_t i = 0; i < jobs.resolved.size(); ++i) {
    PlannedJob& job = unit.jobs[i];
    job.name = jobs.resolved[i].key;
    job.role = jobs.resolved[i].role;
    job.resources = jobs.resources[i];
    job.secrets = xp_->secrets;
    values.command = &jobs.commands[i];
    const auto own = overlays.find(job.name);
    jobs.commands[i].complete(job, item, own == overlays.end() ? Overlay() : own->second, values);
    if (run && jobs.resolved[i].cfg_flag == "cfg") set_run(job.argv, *run);
    try_command(job, wid);
  }
  unit.dir = values.dir().value_or("");
  check_folder(unit, given.has_value());
  if (given) remark_workdir(unit);
  return {unit};
}

// What the item sets for single jobs; of a config, it is tried as what it sets for all.
std::map<std::string, Overlay> PlanMaker::overlays_of(const SweepItem& item, int wid) {
  if (item.per_job.size() == 0) return {};
  std::map<std::string, Overlay> out;
  try {
    out = read_overlays(item.per_job, jobs);
  } catch (const Error& e) {
    throw Error(e.kind(), "unit " + std::to_string(wid) + ": " + e.what());
  }
  for (auto& [name, overlay] : out) {
    if (!trial_ || !context_.try_overrides) break;
    SweepItem alone = item;
    for (auto& [k, v] : overlay.args) alone.job_kwargs.set(k, v);
    trial_->check(wid, alone);
  }
  return out;
}

void PlanMaker::try_command(const PlannedJob& job, int wid) const {
  if (!context_.try_command || job.argv.empty() || job.argv.front() != context_.kd) return;
  try {
    context_.try_command(job.argv, config_ ? config_->config : ConfigDict());
  } catch (const Error& e) {
    throw Error(e.kind(), "unit " + std::to_string(wid) + ", job '" + job.name + "': " + e.what());
  }
}

Steering::Changes PlanMaker::step(const Progress& progress) {
  later_.clear();
  stopped_.clear();
  added_ = &later_;
  konfig::ops_of(xp_->orchestrator).step(xp_->orchestrator.object().get(), *this, progress);
  return {.added = later_, .stopped = stopped_};
}

// What is to be built and kept.
void PlanMaker::list_programs() {
  std::set<std::string> programs, targets;
  for (auto& [key, set] : sets_) {
    for (auto& job : set.resolved) {
      const auto target = job.text("target");
      if (target.starts_with("//") && !job.flag("use_interpreter", false)) targets.insert(target);
    }
  }
  for (auto& unit : plan_.units) {
    if (context_.dialect != Dialect::program) break;
    for (auto& job : unit.jobs) {
      const auto words = program_words(job.argv);
      for (std::size_t i = 0; i < words; ++i) programs.insert(job.argv[i]);
    }
  }
  plan_.targets.assign(targets.begin(), targets.end());
  plan_.programs.assign(programs.begin(), programs.end());
}

Plan PlanMaker::make() {
  plan_.xid = context_.xid;
  plan_.author = context_.author;
  plan_.cwd = context_.cwd;
  plan_.note = xp_->note.value_or("");
  read_limits();
  read_config();
  read_provider();
  read_workdir();
  plan_.title = title();
  // Kept files may be in the experiment's folder, which may be called after the cell.
  if (xp_->cell) plan_.cell = *xp_->cell;
  make_dirs(1);
  read_jobs();
  if (const auto cell = first_job().text("cell"); !cell.empty()) plan_.cell = cell;
  for (auto& job : sets_.at("").resolved) {
    jobs.push_back(job.key);
    plan_.jobs.emplace_back(job.key, job.params);
  }
  read_points();
  add_sweep_flags();
  check_workdir();
  if (trial_ && context_.try_overrides) trial_->prepare(sweep, context_.on_load);
  make_dirs(static_cast<int>(sweep.size()));
  choose_number(static_cast<int>(sweep.size()));
  plan_.tags = tags();
  attach_texts();
  remark();

  konfig::Poly<Orchestrator> orchestrator = xp_->orchestrator;
  if (!orchestrator) orchestrator = SweepOrchestrator();
  auto& ops = konfig::ops_of(orchestrator);
  added_ = &plan_.units;
  ops.plan(orchestrator.object().get(), *this);
  remark_unused_sweep();
  added_ = &later_;
  if (ops.step) plan_.steering = shared_from_this();

  // A folder that is given holds the records, also where no job asks for one.
  const bool given = xp_->root_dir && context_.dialect == Dialect::program;
  const bool missing = !xp_->root_dir && context_.existing_dir.empty();
  if (plan_.tensorboard && missing && context_.dialect == Dialect::program) {
    throw Error(ErrorKind::value,
                "xp.tensorboard: it shows the experiment's folder, and there is "
                "none; give one, for example --xp.root_dir=runs");
  }
  if (plan_.tensorboard || given) dirs_->xp_dir();
  remark_folders();
  if (dirs_->used()) plan_.dir = dirs_->xp_dir();
  list_programs();
  return std::move(plan_);
}

}  // namespace kxm::detail
