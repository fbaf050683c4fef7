// Makes a plan: reads the experiment, then adds its units one by one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kxm/command_impl.h"
#include "kxm/dirs_impl.h"
#include "kxm/make_plan.h"
#include "kxm/resolved_job_impl.h"
#include "kxm/try_overrides_impl.h"

namespace kxm::detail {

// The jobs of one kind of units: most have the same, a sweep below xm_job makes others.
struct JobSet {
  std::vector<ResolvedJob> resolved;
  std::vector<Command> commands;
  std::vector<Resources> resources;
};

class PlanMaker : public Orchestration,
                  public Steering,
                  public std::enable_shared_from_this<PlanMaker> {
 public:
  PlanMaker(const konfig::ConfigDict& experiment, const PlanContext& context);

  Plan make();

  // ---- What an orchestrator does.
  Unit add(const SweepItem& item) override;
  void reserve(std::size_t units) override { added_->reserve(units); }
  void stop(int wid) override { stopped_.push_back(wid); }
  Changes step(const Progress& progress) override;

 private:
  // plan_jobs.cc
  void read_config();
  void read_provider();
  void read_jobs();
  void read_executor();
  JobSet job_set(const ProvidedJobs& provided);
  const JobSet& jobs_of(const SweepItem& item);
  std::map<std::string, std::string> keep_files(const ResolvedJob& job);
  KeptFile kept_file(const std::string& name, const konfig::Value& source, const ResolvedJob& job);
  // plan_sweep.cc
  void read_points();
  void check_sweep_name() const;
  void check_named_once() const;
  SweepItem typed_item(const konfig::Dict& given) const;
  void add_sweep_flags();
  void check_typed(const std::string& key) const;
  void remark_unused_sweep();
  void check_keys(const SweepItem& item, const JobSet& jobs, int wid);
  konfig::Dict labels(const SweepItem& item, const JobSet& jobs) const;
  // plan_folders.cc
  void choose_number(int num_units);
  void check_folder(const PlannedUnit& unit, bool given);
  void check_new_folder(const PlannedUnit& unit) const;
  // plan_workdir.cc
  void read_workdir();
  void remark_workdir(const PlannedUnit& unit);
  void check_workdir() const;
  std::optional<std::string> given_folder(const SweepItem& item, int wid);
  // plan_run.cc
  std::optional<std::string> folder_of_run(const SweepItem& item, int wid, const JobSet& jobs);
  // plan_notes.cc
  std::string title() const;
  std::vector<std::string> tags() const;
  void attach_texts();
  void remark();
  void remark_folders();
  // plan_maker.cc
  void make_dirs(int num_units);
  std::map<std::string, Overlay> overlays_of(const SweepItem& item, int wid);
  void try_command(const PlannedJob& job, int wid) const;
  void read_limits();
  void list_programs();
  const ResolvedJob& first_job() const { return sets_.at("").resolved[0]; }

  konfig::ConfigDict node_;
  PlanContext context_;
  std::optional<LoadedConfig> config_ = {};  // its own: a search adds units later
  std::shared_ptr<const Experiment> xp_;
  konfig::Dict given_;  // of the experiment
  Plan plan_ = {};
  JobSources sources_ = {};
  ProvidedJobs provided_ = {};
  bool kauldron_ = false;  // the jobs are those of the config
  std::vector<std::string> sweep_tags_ = {};
  std::optional<std::string> workdir_ = {};  // of --cfg.workdir: the folder of the only unit
  std::map<std::string, JobSet> sets_ = {};  // by what the sweep changes; "" is the usual one
  std::unique_ptr<Dirs> dirs_ = {};
  bool old_folder_ = false;  // a new experiment in a folder that was there, since its name is fixed
  bool other_place_ = false;  // of an experiment that is there: not the one that is asked for
  std::string unknown_ = {};  // the folder of an experiment that the state does not know
  std::string outside_ = {};  // the first folder that a name puts outside of the experiment's
  std::unique_ptr<OverrideTrial> trial_ = {};
  std::set<std::string> checked_ = {}, shadowed_ = {};  // keys that units set
  std::vector<PlannedUnit>* added_ = nullptr;
  std::vector<PlannedUnit> later_ = {};  // of a search
  std::vector<int> stopped_ = {};
  int units_ = 0;
};

}  // namespace kxm::detail
