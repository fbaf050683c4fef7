// What nodes start with, as in the reference, so that `cfg.xm_job.args["x"] = 1` or
// `--xp.debug.dump_hlo` find something to write to; and the docs of the shared fields.
#include "konfig/docs.h"
#include "konfig/konfig.h"
#include "kxm/borg.h"
#include "kxm/experiment.h"

namespace kxm {
namespace {

using konfig::call;
using konfig::ConfigDict;
using konfig::Dict;

void set_all(ConfigDict& node, const ConfigDict& fields) {
  for (auto& key : fields.keys()) node.set(key, fields.get(key));
}

// Constructing a node merges the defaults registered before, so the order matters.
bool register_defaults() {
  using konfig::register_default_values;
  register_default_values(
      call("xmanager.xm_abc:Borg", {{"scheduling", call("xmanager.xm_abc:BorgScheduling")},
                                    {"autopilot_params", call("xmanager.xm_abc:AutopilotParams")},
                                    {"borglet_params", call("xmanager.xm_abc:BorgletParams")}}));
  auto job_params = [] {
    return ConfigDict{{"args", Dict()},
                      {"env_vars", Dict()},
                      {"files", Dict()},
                      {"requirements", call("xmanager.xm:JobRequirements")},
                      {"executor", call("xmanager.xm_abc:Borg")},
                      {"debug", call("kauldron.kxm:Debug")},
                      {"interpreter_info", call("kauldron.kxm:InterpreterInfo")}};
  };
  auto job = call("kauldron.kxm:Job");
  set_all(job, job_params());
  register_default_values(job);

  auto experiment = call("kauldron.kxm:Experiment", {{"sweep", konfig::placeholder()}});
  set_all(experiment, job_params());
  experiment["subdir_format"] = call("kauldron.kxm:SubdirFormat");
  experiment["execution_settings"] = call("xmanager.xm_abc:ExecutionSettings");
  register_default_values(experiment);
  return true;
}
[[maybe_unused]] const bool kDefaults = register_defaults();

[[maybe_unused]] const bool kDocs =
    register_job_param_docs("kxm::Job") && register_job_param_docs("kxm::Experiment");

}  // namespace

bool register_job_param_docs(std::string_view type) {
  std::vector<std::pair<std::string_view, std::string_view>> docs;
  KXM_JOB_PARAMS(KXM_FIELD_DOC);
  for (auto& [field, doc] : docs) konfig::register_field_docs(type, {{field, doc}});
  return true;
}

}  // namespace kxm
