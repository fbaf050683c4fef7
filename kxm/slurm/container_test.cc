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
  return out;
}

TEST(SlurmContainer, Apptainer) {
  EXPECT_THAT(container_command("apptainer", "image.sif", attempt(), true),
              ElementsAre("apptainer", "exec", "--bind=/programs,/runs/17/.kxm,/runs/17/1,/src",
                          "--pwd=/src", "--nv", "image.sif", "/programs/kd", "train"));
}

TEST(SlurmContainer, Podman) {
  EXPECT_THAT(container_command("podman", "image", attempt(), true),
              ElementsAre("podman", "run", "--rm", "--init", "--network=host", "--ipc=host",
                          "--volume=/programs:/programs", "--volume=/runs/17/.kxm:/runs/17/.kxm",
                          "--volume=/runs/17/1:/runs/17/1", "--volume=/src:/src", "--workdir=/src",
                          "--userns=keep-id", "--env-host", "--device=nvidia.com/gpu=all", "image",
                          "/programs/kd", "train"));
}

TEST(SlurmContainer, Docker) {
  const std::string user =
      "--user=" + std::to_string(::getuid()) + ":" + std::to_string(::getgid());
  EXPECT_THAT(
      container_command("docker", "image", attempt(), false),
      ElementsAre("docker", "run", "--rm", "--init", "--network=host", "--ipc=host",
                  "--volume=/programs:/programs", "--volume=/runs/17/.kxm:/runs/17/.kxm",
                  "--volume=/runs/17/1:/runs/17/1", "--volume=/src:/src", "--workdir=/src", user,
                  "--env=A", "--env=CUDA_VISIBLE_DEVICES", "--env=KEY", "--env=KXM_ATTEMPT",
                  "--env=KXM_JOB", "--env=KXM_WID", "--env=KXM_XID", "--env=SLURM_NTASKS",
                  "--env=SLURM_PROCID", "image", "/programs/kd", "train"));
}

}  // namespace
}  // namespace kxm::slurm
