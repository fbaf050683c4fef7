#include "kxm/slurm/container_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kxm::slurm {
namespace {

using ::testing::ElementsAre;

Attempt attempt() {
  Attempt out;
  out.what = {
      .name = "train", .argv = {"/programs/kd", "train"}, .env = {{"A", "x"}}, .secrets = {"KEY"}};
  out.unit_dir = "/runs/17/1";
  out.folder = "/runs/17/.kxm/jobs/1/train/1";
  out.cwd = "/src";
  out.token = "ab";
  out.what.resources = {.gpus = 1, .container = "image.sif"};
  return out;
}

TEST(SlurmContainer, Apptainer) {
  EXPECT_THAT(container_command("apptainer", attempt()),
              ElementsAre("apptainer", "exec", "--bind=/programs,/runs/17/.kxm,/runs/17/1,/src",
                          "--pwd=/src", "--nv", "image.sif", "/programs/kd", "train"));
}

std::vector<std::string> folders() {
  return {"--volume=/programs:/programs", "--volume=/runs/17/.kxm:/runs/17/.kxm",
          "--volume=/runs/17/1:/runs/17/1", "--volume=/src:/src"};
}

std::vector<std::string> joined(std::vector<std::vector<std::string>> parts) {
  std::vector<std::string> out;
  for (auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

TEST(SlurmContainer, Podman) {
  // Root may not keep its id: it has it anyway.
  const std::vector<std::string> user =
      ::getuid() == 0 ? std::vector<std::string>() : std::vector<std::string>{"--userns=keep-id"};
  EXPECT_EQ(container_command("podman", attempt()),
            joined({{"podman", "run", "--rm", "--network=host", "--ipc=host", "--pid=host",
                     "--label=kxm=ab"},
                    folders(),
                    {"--workdir=/src"},
                    user,
                    {"--env-host", "--device=nvidia.com/gpu=all", "image.sif", "/programs/kd",
                     "train"}}));
}

TEST(SlurmContainer, Docker) {
  const std::string user =
      "--user=" + std::to_string(::getuid()) + ":" + std::to_string(::getgid());
  Attempt without = attempt();
  without.what.resources.gpus = 0;
  EXPECT_EQ(
      container_command("docker", without),
      joined({{"docker", "run", "--rm", "--network=host", "--ipc=host", "--pid=host",
               "--label=kxm=ab"},
              folders(),
              {"--workdir=/src", user, "--env=A", "--env=CUDA_VISIBLE_DEVICES", "--env=KEY",
               "--env=KXM_ATTEMPT", "--env=KXM_JOB", "--env=KXM_WID", "--env=KXM_XID",
               "--env=SLURM_NTASKS", "--env=SLURM_PROCID", "image.sif", "/programs/kd", "train"}}));
}

}  // namespace
}  // namespace kxm::slurm
