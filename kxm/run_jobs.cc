#include "kxm/run_jobs.h"

#include "konfig/config_dict.h"
#include "kxm/proxies.h"

namespace kxm {

ProvidedJobs RunJobs::jobs(const JobsContext& context) const {
  if (context.config) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "xp.jobs_provider: `kd run` takes its config as flags, such as "
                        "--cfg_file=exp.yaml; remove --cfg=" +
                            context.config->from.source);
  }
  const konfig::Dict job{{konfig::kQualname, "kauldron.kxm:Job"},
                         {"args", konfig::Dict{{kRunFolderFlag, WU_DIR_PROXY}}}};
  return {.jobs = {
              {.name = "run", .job = konfig::ConfigDict(job), .role = Role::train, .verb = "run"}}};
}

}  // namespace kxm
