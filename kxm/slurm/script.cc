// Command lines and scripts for Slurm.
#include "kxm/slurm/script_impl.h"

#include <algorithm>
#include <cmath>

#include "base/shell_quote.h"
#include "konfig/error.h"

namespace kxm::slurm {

namespace {

std::int64_t mebibytes(double bytes) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(bytes / (1 << 20))));
}

// Slurm's names of jobs end up in lines and columns.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-';
    out += fine ? c : '_';
  }
  return out;
}

}  // namespace

Place place_of(const Slurm& slurm, const Resources& resources) {
  if (resources.place.empty()) {
    return {.partition = slurm.partition,
            .account = slurm.account,
            .qos = slurm.qos,
            .setup = slurm.setup};
  }
  if (const Place* place = slurm.places.find(resources.place)) return *place;
  std::vector<std::string> names;
  for (auto& [name, place] : slurm.places) names.push_back(name);
  throw konfig::Error(konfig::ErrorKind::key, no_such_place(resources.place, names));
}

std::string gpu_type(const Slurm& slurm, const Resources& resources) {
  const std::string* name = slurm.gpu_types.find(resources.gpu_type);
  return name ? *name : resources.gpu_type;
}

std::vector<std::string> resource_options(const Slurm& slurm, const Resources& resources) {
  std::vector<std::string> out;
  const auto cpus = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(resources.cpus)));
  out.push_back("--ntasks=" + std::to_string(std::max(1, resources.replicas)));
  if (resources.cpus > 0) out.push_back("--cpus-per-task=" + std::to_string(cpus));
  if (resources.memory > 0 && resources.replicas <= 1) {
    out.push_back("--mem=" + std::to_string(mebibytes(static_cast<double>(resources.memory))) +
                  "M");
  } else if (resources.memory > 0) {  // each task has so much, wherever it is
    const double share = static_cast<double>(resources.memory) / static_cast<double>(cpus);
    out.push_back("--mem-per-cpu=" + std::to_string(mebibytes(share)) + "M");
  }
  if (resources.gpus > 0) {
    const std::string type = gpu_type(slurm, resources);
    const std::string name = resources.replicas > 1 ? "--gpus-per-task=" : "--gres=gpu:";
    out.push_back(name + (type.empty() ? "" : type + ":") + std::to_string(resources.gpus));
  }
  double signal = slurm.signal_seconds;
  if (resources.seconds > 0) {
    const std::int64_t minutes = (resources.seconds + 59) / 60;
    out.push_back("--time=" + std::to_string(minutes));
    // Leaves about half of it to work: Slurm sends the signal early, by up to 60 s (sbatch(1)).
    signal = std::min(signal, static_cast<double>(minutes) * 30 - 15);
  }
  if (signal >= 1) {
    // Only the runner gets it, which passes SIGTERM on.
    out.push_back("--signal=B:USR1@" + std::to_string(static_cast<std::int64_t>(signal)));
  }
  return out;
}

std::vector<std::string> sbatch_command(const Slurm& slurm, const Batch& batch,
                                        const Attempt& first) {
  std::string array = "0-" + std::to_string(batch.attempts.size() - 1);
  if (batch.lane.width > 0) array += "%" + std::to_string(batch.lane.width);
  std::vector<std::string> out = {
      "sbatch",
      "--parsable",
      "--job-name=kxm-" + std::to_string(first.xid) + "-" + plain(first.job),
      "--comment=" + std::string(kComment) + batch.token,
      "--array=" + array,
      "--output=" + batch.file(".out").string(),
      "--open-mode=append",
      "--chdir=/",
      "--export=ALL",
      "--requeue"};
  for (std::string& option : resource_options(slurm, first.what.resources))
    out.push_back(std::move(option));
  const Place place = place_of(slurm, first.what.resources);
  if (!place.partition.empty()) out.push_back("--partition=" + place.partition);
  if (!place.account.empty()) out.push_back("--account=" + place.account);
  if (!place.qos.empty()) out.push_back("--qos=" + place.qos);
  if (batch.lane.after) {
    out.push_back("--dependency=afterany:" + std::to_string(*batch.lane.after));
  }
  out.insert(out.end(), slurm.options.begin(), slurm.options.end());
  return out;
}

std::string batch_script(const std::vector<std::string>& runner,
                         const std::filesystem::path& tasks) {
  std::string out =
      "#!/bin/bash\n"
      "# A signal that comes before the runner can handle it must not end the job.\n"
      "trap '' USR1 USR2\n"
      "exec";
  for (const std::string& part : runner) out += " " + base::shell_quote(part);
  return out + " " + base::shell_quote(tasks.string()) + " \"$SLURM_ARRAY_TASK_ID\"\n";
}

namespace {

// srun kills its tasks at once when it gets SIGTERM, but passes SIGUSR1 on, to all their processes:
// they ignore it, and this shell makes it the SIGTERM that was meant. It says nothing of its own.
// The first that fails notes its exit code: srun ends the others, and has the largest code of all.
constexpr const char* kTask = R"(trap '' USR1
exec 3>&2 2>/dev/null
set -m
"$@" 2>&3 3>&- &
job=$!
trap 'kill -TERM -- -$job' USR1
wait $job
while kill -0 $job; do wait $job; done
wait $job
code=$?
[ $code = 0 ] || (set -C; echo $code >"$0")
exit $code)";

}  // namespace

std::vector<std::string> job_command(const PlannedJob& job, const std::vector<std::string>& setup,
                                     const std::string& first_failure) {
  std::vector<std::string> out;
  if (!setup.empty()) {
    std::string script =
        "trap 'echo \"kxm: the set-up lines of launch.yaml ended with $?; the job was not "
        "started\" >&2' EXIT\nset -e\n";
    for (const std::string& line : setup) script += line + "\n";
    out = {"/bin/bash", "-c", script + "set +e\ntrap - EXIT\nexec \"$@\"", "setup"};
  }
  if (job.resources.replicas > 1) {
    out.insert(out.end(), {"srun", "--label", "--kill-on-bad-exit=1",
                           "--ntasks=" + std::to_string(job.resources.replicas), "/bin/bash", "-c",
                           kTask, first_failure});
  }
  out.insert(out.end(), job.argv.begin(), job.argv.end());
  return out;
}

std::string ranges(const std::vector<int>& indices) {
  std::string out;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    if (!out.empty()) out += ',';
    out += std::to_string(indices[i]);
    if (end - i > 1) out += "-" + std::to_string(indices[end - 1]);
    i = end;
  }
  return out;
}

}  // namespace kxm::slurm
