// Jobs in containers on a real Slurm.
#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

using testing::HasSubstr;

// With a runtime that only says what it was asked for; podman has a test below.
TEST_F(OnSlurm, JobsRunInContainers) {
  fs::create_directory(folder / "bin");
  base::File(folder / "bin/apptainer", O_WRONLY | O_CREAT, 0777)
      .write(
          "#!/bin/sh\nwhile test $1 = exec -o ${1#-} != $1; do shift; done\necho in $1; shift; "
          "exec \"$@\"\n");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ((folder / "bin").string() + ":" + path).c_str(), 1);
  PlannedJob job = shell("echo $KXM_WID");
  PlannedJob other = job;
  job.resources.container = "image.sif";
  other.resources.container = "other.sif";
  const int xid = record({{job}, {other}, {shell("echo bare")}});
  EXPECT_EQ(run(xid).units, counts(3)) << log(xid, 1);
  EXPECT_EQ(log(xid, 1), "in image.sif\n1\n");
  EXPECT_EQ(log(xid, 2), "in other.sif\n2\n");
  EXPECT_EQ(log(xid, 3), "bare\n");

  // Set-up lines may bring the runtime: it is looked for after them, on the node.
  fs::create_directory(folder / "late");
  fs::copy(folder / "bin/apptainer", folder / "late/apptainer");
  ::setenv("PATH", "/bin", 1);
  fs::remove(folder / "bin/apptainer");
  slurm.setup = {"PATH=" + (folder / "late").string() + ":/usr/bin:/bin"};
  const int late = record({{job}});
  EXPECT_EQ(run(late).units, counts(1)) << log(late, 1);
  EXPECT_EQ(log(late, 1), "in image.sif\n1\n");
  slurm.setup = {"PATH=" + (folder / "bin").string()};
  const int none = record({{job}});
  EXPECT_EQ(run(none).units, counts(0, 1));
  EXPECT_THAT(log(none, 1), HasSubstr(": found neither apptainer nor podman nor docker in PATH"));
  slurm.setup = {};

  ::setenv("PATH", (folder / "bin/none").c_str(), 1);
  try {
    run(record({{job}}));
    ADD_FAILURE();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("job 'main': container 'image.sif': found neither apptainer "
                          "nor podman nor docker in PATH; install one of them"));
  }
  ::setenv("PATH", path.c_str(), 1);
}

// A shell and what it needs, as an image that podman knows; storage and settings are in `folder`.
void make_image(const fs::path& folder) {
  base::File(folder / "containers.conf", O_WRONLY | O_CREAT)
      .write(
          "[containers]\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1024:1024\"]\n"
          "[engine]\nruntime = \"runc\"\ncgroup_manager = \"cgroupfs\"\n"
          "events_logger = \"file\"\n");
  base::File(folder / "storage.conf", O_WRONLY | O_CREAT)
      .write("[storage]\ndriver = \"vfs\"\ngraphroot = \"" + (folder / "images").string() +
             "\"\nrunroot = \"" + (folder / "podman").string() + "\"\n");
  ::setenv("CONTAINERS_CONF", (folder / "containers.conf").c_str(), 1);
  ::setenv("CONTAINERS_STORAGE_CONF", (folder / "storage.conf").c_str(), 1);
  const auto [code, out] = sh(
      "cd " + folder.string() +
      " && mkdir -p image/bin image/etc image/tmp && cp /bin/dash image/bin/sh && cp /bin/sleep "
      "image/bin && for l in $(ldd /bin/dash /bin/sleep | grep -o '/[^ :]*so[^ ]*' | sort -u); do "
      "mkdir -p image${l%/*} && cp $l image$l; done && echo inside >image/etc/where && "
      "tar -C image -c . | podman import - localhost/kxm-test 2>&1");
  ASSERT_EQ(code, 0) << out;
}

// Podman needs its time to remove what it was running.
class WithPodman : public OnSlurm {
 protected:
  WithPodman() : OnSlurm("KD_SLURM_KILL_WAIT=60") {}
};

TEST_F(WithPodman, RunsTheJobAndWhatItLeavesIsEnded) {
  make_image(folder.path());
  PlannedJob job =
      shell("read where </etc/where; echo $where $KXM_WID \"$TEXT\" in $PWD; echo done >$0/result");
  job.argv.push_back((folder / "runs/1/1").string());
  job.env["TEXT"] = "a b";
  // One that is over its time is told so, and one that is killed leaves nothing behind.
  PlannedJob saves = shell(
      "echo x >>began; trap 'echo saved >saved; exit 143' TERM; while :; do "
      "sleep 0.1; done");
  PlannedJob stays =
      shell("echo x >>began; trap '' TERM; while :; do echo x >alive; sleep 0.1; done");
  for (PlannedJob* each : {&job, &saves, &stays}) {
    each->resources.container = "localhost/kxm-test";
  }
  const int xid = record({{job}, {saves}, {stays}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("began") == 2 && fs::exists(folder / "runs/1/1/result"); });
  EXPECT_EQ(log(xid, 1), "inside 1 a b in " + folder.path().string() + "\n");
  until([&] { return state.unit(xid, 1).state == JobState::finished; });
  kxm::stop(state, xid, slurm, Stop::gently, {2});
  until([&] { return text("saved") == "saved\n"; });
  kxm::stop(state, xid, slurm, Stop::now);
  EXPECT_EQ(wait(launcher), 0);
  Counts expected = counts(1);
  expected[JobState::stopped] = 2;
  EXPECT_EQ(state.count_units(xid), expected);
  EXPECT_EQ(sh("podman ps --all --quiet").second, "");
  fs::remove(folder / "alive");
  std::this_thread::sleep_for(milliseconds(400));
  EXPECT_FALSE(fs::exists(folder / "alive"));
  for (const char* name : {"CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"}) ::unsetenv(name);
}

}  // namespace
}  // namespace kxm
