// Folders that the user names: --cfg.workdir of a single unit, or a sweep over workdir.
#include <filesystem>

#include "konfig/load.h"
#include "kxm/plan_maker_impl.h"

namespace kxm::detail {
namespace {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

constexpr const char* kWorkdir = "workdir";

std::string folder_of(const Value& given, const std::string& cwd) {
  auto* text = given.get_if<std::string>();
  if (!text || text->empty()) {
    throw Error(ErrorKind::value, "cfg.workdir: expected a folder, got " + konfig::describe(given) +
                                      "; without it, a unit gets one below xp.root_dir");
  }
  return plain_path(join_dirs(cwd, *text));
}

}  // namespace

// Before the jobs are read: they get it as an absolute path, wherever they start.
void PlanMaker::read_workdir() {
  if (!config_ || !kauldron_ || context_.dialect != Dialect::program) return;
  auto& overrides = config_->from.overrides;
  const auto given = overrides.to_dict();
  auto* workdir = given.find(kWorkdir);
  if (!workdir) return;
  workdir_ = folder_of(*workdir, context_.cwd);
  overrides = overrides.copy();
  overrides.set(kWorkdir, *workdir_);
}

void PlanMaker::check_workdir() const {
  if (!workdir_ || sweep.size() < 2) return;
  throw Error(ErrorKind::value, "--cfg.workdir=" + *workdir_ + ": " + std::to_string(sweep.size()) +
                                    " units would share this folder; use --xp.root_dir=" +
                                    *workdir_ + " instead: every unit gets a folder below it");
}

// Whoever names a folder with a run in it may mean that run, or may have forgotten it.
void PlanMaker::remark_workdir(const PlannedUnit& unit) {
  std::error_code unknown;
  if (!trains(unit) || !std::filesystem::exists(unit.dir, unknown)) return;
  if (std::filesystem::is_empty(unit.dir, unknown)) return;
  plan_.warnings.push_back("cfg.workdir: " + unit.dir +
                           " is not empty; the training goes on from a checkpoint that is there");
}

std::optional<std::string> PlanMaker::given_folder(const SweepItem& item, int wid) {
  std::optional<std::string> out = workdir_;
  auto* swept = kauldron_ && context_.dialect == Dialect::program
                    ? item.job_kwargs.find("cfg.workdir")
                    : nullptr;
  if (swept && !out) out = folder_of(*swept, context_.cwd);
  if (out && !dirs_->take(*out)) {
    throw Error(ErrorKind::value, "unit " + std::to_string(wid) + ": cfg.workdir: " + *out +
                                      " is the folder of another unit; give each its own");
  }
  return out;
}

}  // namespace kxm::detail
