// Fields that a node starts with: what Kauldron puts into every trainer, so that `cfg.evals["eval"]
// = ...` or `--cfg.xm_job.platform=...` find something to write to. Those of jobs and experiments
// are in kxm/node_defaults.cc.
#include "konfig/konfig.h"
#include "kxm/job_params.h"

namespace kd::train {
namespace {

using konfig::call;
using konfig::CellType;
using konfig::Dict;
using konfig::placeholder;

// Constructing a node merges the defaults registered before, so the order matters; those of kxm are
// there already, since this library needs that one.
bool register_all() {
  using konfig::register_default_values;
  for (auto* name : {"kauldron.kd:evals.StandaloneLastCheckpoint",
                     "kauldron.kd:evals.StandaloneEveryCheckpoint"}) {
    register_default_values(call(name, {{"requirements", call("xmanager.xm:JobRequirements")},
                                        {"executor", call("xmanager.xm_abc:Borg")}}));
  }

  register_default_values(
      call("kauldron.kd:train.Trainer", {{"workdir", placeholder(CellType::text)},
                                         {"evals", Dict()},
                                         {"schedules", Dict()},
                                         {"setup", call("kauldron.kd:train.Setup")},
                                         {"xm_job", call("kauldron.kxm:Job")}}));

  auto eval_only = call("kauldron.kd:train.Trainer.eval_only",
                        {{"workdir", placeholder(CellType::text)},
                         {"aux", Dict{{"xid", placeholder()}, {"wid", 1}}},  // a folder, too
                         {"evals", Dict()},
                         {"num_train_steps", 0},
                         {"stop_after_steps", 0},
                         {"optimizer", nullptr},
                         {"checkpointer", nullptr},
                         {"setup", call("kauldron.kd:train.Setup", {{"eval_only", true}})},
                         {"xm_job", call("kauldron.kxm:Job")}});
  auto xid = eval_only.ref("aux")["xid"], wid = eval_only.ref("aux")["wid"];
  eval_only["train_ds"] =
      call("kauldron.kd:data.tf.ElementSpecDataset",
           {{"spec", call("kauldron.kd:from_xid.get_element_spec", {{"xid", xid}, {"wid", wid}})}});
  eval_only["model"] =
      call("kauldron.kd:from_xid.get_resolved", {{"xid", xid}, {"wid", wid}, {"path", "model"}});
  eval_only["init_transform"] =
      call("kauldron.kd:ckpts.PartialKauldronLoader",
           {{"workdir", call("kauldron.kd:ckpts.workdir_from_xid", {{"xid", xid}, {"wid", wid}})},
            {"new_to_old",
             Dict{{"step", "step"}, {"params", "params"}, {"collections", "collections"}}}});
  register_default_values(eval_only);
  return true;
}

[[maybe_unused]] const bool kRegistered = register_all();
[[maybe_unused]] const bool kDocs =
    kxm::register_job_param_docs("kd::evals::StandaloneEveryCheckpoint") &&
    kxm::register_job_param_docs("kd::evals::StandaloneLastCheckpoint");

}  // namespace
}  // namespace kd::train
