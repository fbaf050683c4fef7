// What Slurm could never run, found before anything is recorded.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/join.h"
#include "konfig/error.h"
#include "konfig/implement.h"
#include "kxm/requirements.h"
#include "kxm/slurm.h"
#include "kxm/slurm/commands_impl.h"
#include "kxm/slurm/container_impl.h"
#include "kxm/slurm/memory_impl.h"
#include "kxm/slurm/outputs.h"
#include "kxm/slurm/script_impl.h"

namespace kxm {

using konfig::Error;
using konfig::ErrorKind;
using slurm::Nodes;

namespace {

void check_container(const PlannedJob& job, const Place& place) {
  const std::string& image = job.resources.container;
  // Set-up lines may bring one.
  if (image.empty() || !place.setup.empty() || slurm::container_runtime()) return;
  throw Error(ErrorKind::unsupported, "job '" + job.name + "': container '" + image +
                                          "': " + std::string(slurm::kNoRuntime));
}

// The nodes that a partition has; all without one. "a,b" lets Slurm choose.
std::vector<Nodes> nodes_of(const std::vector<Nodes>& all, const std::string& partition) {
  std::vector<Nodes> out;
  std::set<std::string> partitions;
  for (const Nodes& each : all) {
    partitions.insert(each.partition);
    if (("," + partition + ",").find("," + each.partition + ",") != std::string::npos ||
        partition.empty()) {
      out.push_back(each);
    }
  }
  if (!out.empty()) return out;
  throw Error(ErrorKind::value,
              "partition '" + partition + "': this cluster has none of that name, but " +
                  base::join(partitions, ", ") + "; name one of these in the settings");
}

// How many tasks of a job a node has room for.
std::int64_t tasks_on(const Nodes& n, const Resources& r, const std::string& gpu_type) {
  auto out = static_cast<std::int64_t>(n.cpus / std::max(1.0, std::ceil(r.cpus)));
  if (r.memory > 0) out = std::min(out, n.memory / r.memory);
  if (r.gpus > 0) out = std::min<std::int64_t>(out, n.gpus(gpu_type) / r.gpus);
  return out;
}

void check_fits(const PlannedJob& job, const std::vector<Nodes>& nodes,
                const std::string& partition, const std::string& gpu_type) {
  const Resources& r = job.resources;
  const auto fits_but_for_time = [&](const Nodes& n) {
    return r.cpus <= n.cpus && r.memory <= n.memory && r.gpus <= n.gpus(gpu_type);
  };
  const auto fits = [&](const Nodes& n) {
    return fits_but_for_time(n) && (n.seconds == 0 || r.seconds <= n.seconds);
  };
  // Tasks are spread over the nodes of one partition.
  std::map<std::string, std::int64_t> places;
  for (const Nodes& n : nodes) {
    if (fits(n)) places[n.partition] += n.count * tasks_on(n, r, gpu_type);
  }
  std::int64_t most = 0;
  for (const auto& [name, tasks] : places) most = std::max(most, tasks);
  if (most >= r.replicas) return;
  if (!places.empty()) {
    const std::string where = partition.empty() ? "this cluster" : "partition '" + partition + "'";
    throw Error(ErrorKind::value, "job '" + job.name + "': asks for " + needs_text(r) + ", but " +
                                      where + " has room for " + std::to_string(most) +
                                      " of these tasks; lower its requirements");
  }
  const auto has_gpus = [&](std::string_view type) {
    return std::ranges::any_of(nodes, [&](const Nodes& n) { return r.gpus <= n.gpus(type); });
  };
  std::int64_t longest = 0;
  for (const Nodes& n : nodes) {
    if (fits_but_for_time(n)) longest = std::max(longest, n.seconds);
  }
  std::string help = "lower its requirements, or choose another place";
  if (longest > 0) {
    help = "the longest time limit there is " + time_text(longest) +
           "; lower requirements.time, or choose another place";
  } else if (!has_gpus(gpu_type) && has_gpus("")) {
    std::set<std::string> gres;
    for (const Nodes& n : nodes) {
      if (n.gpus() > 0) gres.insert(n.gres);
    }
    help = "its nodes have " + base::join(gres, ", ") +
           "; if these are the GPUs you mean, say so in launch.yaml: gpus: {" + r.gpu_type +
           ": NAME}, or \"\" where they have no name";
  }
  // As each task asks for it, and by the cluster's name.
  const Resources wanted = {.cpus = r.cpus,
                            .memory = r.memory,
                            .gpus = r.gpus,
                            .gpu_type = gpu_type,
                            .seconds = r.seconds};
  throw Error(ErrorKind::value,
              "job '" + job.name + "': no node of " +
                  (partition.empty() ? "this cluster" : "partition '" + partition + "'") + " has " +
                  needs_text(wanted) + "; " + help);
}

}  // namespace

void Slurm::check(std::span<const PlannedJob> jobs) const {
  for (const PlannedJob& job : jobs) {
    check_container(job, slurm::place_of(*this, job.resources));
  }
  if (const std::string file = slurm::missing_configuration(); !file.empty()) {
    throw Error(ErrorKind::value,
                "Slurm cannot be used here: SLURM_CONF names " + file +
                    ", which does not exist; set it to the slurm.conf of the cluster, or use "
                    "--on=local");
  }
  slurm::Memory& m = slurm::memory();
  const std::lock_guard guard(m.mutex);
  if (!m.silence.empty()) return;  // it is down, and waited for when something is submitted
  // A launch checks its plan, and a moment later what it runs.
  constexpr auto kOften = std::chrono::seconds(30);
  if (m.nodes.empty() || slurm::Clock::now() - m.nodes_asked > kOften) {
    const slurm::Outcome outcome = slurm::ask(
        {"sinfo", "--noheader", "--exact", "--format=" + std::string(slurm::kNodesFormat)},
        std::chrono::seconds(5));
    if (!outcome.ok() && slurm::problem_of(outcome) == slurm::Problem::refused) {
      throw Error(ErrorKind::value,
                  "Slurm cannot be used here: sinfo says '" + slurm::reason_in(outcome.err) +
                      "'; set SLURM_CONF to the slurm.conf of the cluster, or use --on=local");
    }
    if (!outcome.ok()) return m.tell_silence(slurm::reason_in(outcome.err));
    m.nodes = slurm::parse_nodes(outcome.out);
    m.nodes_asked = slurm::Clock::now();
  }
  for (const PlannedJob& job : jobs) {
    const std::string partition = slurm::place_of(*this, job.resources).partition;
    check_fits(job, nodes_of(m.nodes, partition), partition, slurm::gpu_type(*this, job.resources));
  }
}

void Slurm::attend(const Attendant& attendant) const {
  slurm::Memory& m = slurm::memory();
  const std::lock_guard guard(m.mutex);
  m.attend(attendant);
  slurm::interrupt_by(attendant.wake);
}

bool has_slurm() { return slurm::is_configured(); }

}  // namespace kxm
