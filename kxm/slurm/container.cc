// Command lines of container runtimes.
#include "kxm/slurm/container_impl.h"

#include <unistd.h>

#include <array>
#include <set>
#include <sstream>

#include "base/join.h"
#include "base/shell_quote.h"
#include "kxm/slurm/batch_impl.h"
#include "kxm/slurm/commands_impl.h"

namespace kxm::slurm {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 3> kRuntimes = {"apptainer", "podman", "docker"};

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

std::string label_of(const Attempt& attempt) { return "kxm=" + attempt.token; }

}  // namespace

std::optional<std::string> container_runtime() {
  for (const char* name : kRuntimes) {
    if (in_path(name)) return name;
  }
  return std::nullopt;
}

std::vector<std::string> container_command(const std::string& runtime, const Attempt& attempt) {
  std::vector<std::string> out = {runtime};
  const bool gpus = attempt.what.resources.gpus > 0;
  const auto folders = folders_of(attempt);
  if (runtime == "apptainer") {
    out.insert(out.end(), {"exec", "--bind=" + base::join(folders, ",")});
    if (!attempt.cwd.empty()) out.push_back("--pwd=" + attempt.cwd);
    if (gpus) out.push_back("--nv");
  } else {
    // As a process among others, a signal ends it; the first of a container ignores most.
    out.insert(out.end(), {"run", "--rm", "--network=host", "--ipc=host", "--pid=host",
                           "--label=" + label_of(attempt)});
    for (const std::string& folder : folders) out.push_back("--volume=" + folder + ":" + folder);
    if (!attempt.cwd.empty()) out.push_back("--workdir=" + attempt.cwd);
    if (runtime == "podman") {
      // Without it the files of a job would belong to somebody else; root needs none.
      if (::getuid() != 0) out.emplace_back("--userns=keep-id");
      out.emplace_back("--env-host");
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
  out.push_back(attempt.what.resources.container);
  out.insert(out.end(), attempt.what.argv.begin(), attempt.what.argv.end());
  return out;
}

std::vector<std::string> container_command_after_setup(const Attempt& attempt) {
  std::string script;
  for (const char* runtime : kRuntimes) {
    script += "if command -v " + std::string(runtime) + " >/dev/null; then exec";
    for (const std::string& part : container_command(runtime, attempt)) {
      script += " " + base::shell_quote(part);
    }
    script += "; fi\n";
  }
  const std::string complaint = "kxm: container '" + attempt.what.resources.container + "': ";
  script += "echo " + base::shell_quote(complaint) + "\"$SLURMD_NODENAME: \"" +
            base::shell_quote(kNoRuntime) + " >&2\nexit 127";
  return {"/bin/bash", "-c", script};
}

void end_containers(const std::string& runtime, const Attempt& attempt) {
  if (runtime == "apptainer" || !in_path(runtime)) return;
  std::vector<std::string> remove = {runtime, "rm", "--force"};
  if (runtime == "podman") remove.emplace_back("--time=0");  // docker does not wait
  // A signal of Slurm's to all processes of the job ends these commands, too: then once more.
  for (int tries = 0; tries < 5; ++tries) {
    const Outcome found =
        ask({runtime, "ps", "--all", "--quiet", "--filter=label=" + label_of(attempt)});
    if (found.ok() && found.out.empty()) return;
    std::istringstream ids(found.out);
    for (std::string id; std::getline(ids, id);) {
      std::vector<std::string> command = remove;
      command.push_back(id);
      ask(command);
    }
  }
}

}  // namespace kxm::slurm
