// What experiments save.
#include "kd/problems/storage.h"

#include <sys/stat.h>

#include "base/clock.h"
#include "base/whole_folder.h"
#include "kd/ckpts/engine/store.h"
#include "kd/ckpts/retention.h"
#include "kd/core/ops.h"
#include "kd/data/engine/batch.h"
#include "kd/exports/engine/model.h"
#include "kd/problems/modules.h"
#include "konfig/error.h"

namespace kd::problems {

namespace fs = std::filesystem;
using ckpts::Snapshot;
using konfig::Error;
using konfig::ErrorKind;

namespace {

class EpochStore final : public ckpts::Store {
 public:
  EpochStore(std::unique_ptr<Store> folders, int every_it, bool read_only)
      : folders_(std::move(folders)), every_it_(every_it), read_only_(read_only) {}

  std::vector<std::int64_t> all_steps() const override { return folders_->all_steps(); }
  std::optional<std::int64_t> latest_step() const override { return folders_->latest_step(); }
  bool should_save(std::int64_t step) const override {
    return should_save_in_epoch({.step = step, .epoch = 0, .it = step});
  }
  bool should_save_in_epoch(const Place& place) const override {
    const auto latest = latest_step();
    if (read_only_ || (latest && place.step <= *latest)) return false;
    return is_due_in_epoch(place, every_it_);
  }
  void save(std::int64_t step, const Snapshot& snapshot, const konfig::Value& metrics,
            bool keep) override {
    folders_->save(step, snapshot, metrics, keep);
  }
  void wait_until_finished() override { folders_->wait_until_finished(); }
  void check_saved() override { folders_->check_saved(); }
  Snapshot restore(std::optional<std::int64_t> step) override { return folders_->restore(step); }
  void remove(std::int64_t step) override { folders_->remove(step); }
  std::string place_of(std::int64_t step) const override { return folders_->place_of(step); }

 private:
  std::unique_ptr<Store> folders_;
  int every_it_;
  bool read_only_;
};

// A run writes this file when it begins, and not when it is resumed.
double begin_of(const fs::path& run) {
  struct stat file = {};
  if (::stat((run / "element_spec.json").c_str(), &file) != 0) return base::now();
  return static_cast<double>(file.st_mtim.tv_sec);
}

}  // namespace

ckpts::Kept NewestAndSpaced::kept(const std::vector<ckpts::Info>& infos) const {
  const auto count = static_cast<std::size_t>(*newest);
  const std::size_t older = infos.size() - std::min(count, infos.size());
  ckpts::Kept out(infos.size(), true);
  double last = since;
  for (std::size_t i = 0; i < older; ++i) {
    out[i] = interval_secs && infos[i].time >= last + *interval_secs;
    if (out[i]) last = infos[i].time;
  }
  return out;
}

std::unique_ptr<ckpts::Store> EpochCheckpointer::open(const fs::path& run, bool read_only) const {
  if (max_to_keep && *max_to_keep < 1) {
    throw Error(
        ErrorKind::value, "max_to_keep",
        "expected a whole number above 0, or None for all, got " + std::to_string(*max_to_keep));
  }
  ckpts::Checkpointer options{.save_interval_steps = 1,
                              .max_to_keep = {},
                              .on_damaged = ckpts::OnDamaged::previous,
                              .workdir = std::optional(run.string())};
  if (max_to_keep) {
    options.preservation_policy = NewestAndSpaced{
        .newest = *max_to_keep, .interval_secs = keep_time_interval, .since = begin_of(run)};
  }
  auto folders = options.open(run, read_only);
  if (!resume && !read_only && folders->latest_step()) {
    throw Error(ErrorKind::value, "trainer.resume_from_ckpt",
                "it is false, but " + run.string() + " has checkpoints, which a new run would " +
                    "overwrite; choose another ckpt_dir, or remove them");
  }
  return std::make_unique<EpochStore>(std::move(folders), every_it, read_only);
}

namespace {

constexpr const char* kFolder = "model";

// Replaces the model of a run. What a run that was killed in between left beside it goes; the run's
// folder belongs to one training, so nobody else is writing.
void save(const fs::path& workdir, const Model& model) {
  std::vector<fs::path> leftovers;
  std::error_code ignored;
  for (auto& entry : fs::directory_iterator(workdir, ignored)) {
    if (base::leftover_of(entry.path()) == kFolder) leftovers.push_back(entry.path());
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, ignored);
  exports::save_model(workdir / kFolder, model);
}

Tree collections_of(const exports::Model& model) {
  Tree out = model.variables();
  out.erase("params");
  return out;
}

// All variables below one name, as a module has them that holds the model in a field.
Tree below(const Tree& variables, const char* name) {
  Tree out = Tree::dict();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    out[variables.name(i)] = Tree::dict({{name, variables.child(i)}});
  }
  return out;
}

// Those of one field.
Tree part_of(const Tree& variables, const char* name) {
  Tree out = Tree::dict();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (const Tree* found = variables.child(i).find(name)) out[variables.name(i)] = *found;
  }
  return out;
}

Tree image_spec(const exports::Model& model, DType dtype) {
  Tree out = Tree::dict();
  if (const Tree* image = model.element_spec().find("image")) {
    out["image"] = image->tensor().to(scalar_type(dtype));
  }
  return out;
}

}  // namespace

void SaveClassifier::export_model(const exports::Model& model, const fs::path& workdir) const {
  save(workdir, Model(SavedClassifier{.model = model.module(), .binary = binary},
                      Tree::dict({{"model", model.params()}}),
                      below(collections_of(model), "model"), image_spec(model, dtype)));
}

void SaveStudent::export_model(const exports::Model& model, const fs::path& workdir) const {
  save(workdir,
       Model(model.module().as<Distilled>().student, model.params().at("student"),
             part_of(collections_of(model), "student"), image_spec(model, DType::float32)));
}

}  // namespace kd::problems
