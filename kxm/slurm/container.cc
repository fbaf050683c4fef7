// Command lines of container runtimes.
#include "kxm/slurm/container_impl.h"

#include <unistd.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "base/join.h"
#include "kxm/slurm/batch_impl.h"

namespace kxm::slurm {

namespace fs = std::filesystem;

namespace {

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder.empty() ? "." : folder) / program).c_str(), X_OK) == 0)
      return true;
  }
  return false;
}

// What the job reads and writes.
std::set<std::string> folders_of(const Attempt& attempt) {
  std::set<std::string> out = {batches_folder(attempt).parent_path().string()};
  for (const std::string& folder : {attempt.cwd, attempt.unit_dir}) {
    if (!folder.empty()) out.insert(folder);
  }
  const fs::path program = attempt.what.argv.empty() ? "" : attempt.what.argv.front();
  if (program.is_absolute()) out.insert(program.parent_path().string());
  return out;
}

}  // namespace

std::optional<std::string> container_runtime() {
  for (const char* name : {"apptainer", "podman", "docker"}) {
    if (in_path(name)) return name;
  }
  return std::nullopt;
}

std::vector<std::string> container_command(const std::string& runtime, const std::string& image,
                                           const Attempt& attempt, bool gpus) {
  std::vector<std::string> out = {runtime};
  const auto folders = folders_of(attempt);
  if (runtime == "apptainer") {
    out.insert(out.end(), {"exec", "--bind=" + base::join(folders, ",")});
    if (!attempt.cwd.empty()) out.push_back("--pwd=" + attempt.cwd);
    if (gpus) out.push_back("--nv");
  } else {
    out.insert(out.end(), {"run", "--rm", "--init", "--network=host", "--ipc=host"});
    for (const std::string& folder : folders) out.push_back("--volume=" + folder + ":" + folder);
    if (!attempt.cwd.empty()) out.push_back("--workdir=" + attempt.cwd);
    if (runtime == "podman") {
      out.insert(out.end(), {"--userns=keep-id", "--env-host"});
      if (gpus) out.push_back("--device=nvidia.com/gpu=all");
    } else {
      out.push_back("--user=" + std::to_string(::getuid()) + ":" + std::to_string(::getgid()));
      // Names only: docker takes the values from its own environment, where secrets are, too.
      std::set<std::string> names = {"KXM_XID",
                                     "KXM_WID",
                                     "KXM_JOB",
                                     "KXM_ATTEMPT",
                                     "SLURM_PROCID",
                                     "SLURM_NTASKS",
                                     "CUDA_VISIBLE_DEVICES"};
      for (const auto& [name, value] : attempt.what.env) names.insert(name);
      names.insert(attempt.what.secrets.begin(), attempt.what.secrets.end());
      for (const std::string& name : names) out.push_back("--env=" + name);
      if (gpus) out.push_back("--gpus=all");
    }
  }
  out.push_back(image);
  out.insert(out.end(), attempt.what.argv.begin(), attempt.what.argv.end());
  return out;
}

}  // namespace kxm::slurm
