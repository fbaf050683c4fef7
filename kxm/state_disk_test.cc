// A disk that is full or cannot be written to.
#include <sys/mount.h>
#include <sys/wait.h>

#include <iostream>

#include "kxm/state_fixture_test.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;

// In a child, whose mounts are its own; the reason it gives is empty if all is well.
class Mounted : public StateTest {
 protected:
  static std::string why(const State& of, int xid, int wid) {
    return of.unit(xid, wid).jobs.front().why();
  }
  void in_child(const std::function<std::string()>& work) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (::unshare(CLONE_NEWNS) != 0 ||
          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        ::_exit(77);
      }
      const std::string problem = work();
      if (problem.empty()) ::_exit(0);
      std::cerr << problem << "\n";
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no right to mount";
    EXPECT_EQ(status, 0);
  }
};

TEST_F(Mounted, AFullDiskStartsNothingAndLosesNothing) {
  in_child([&]() -> std::string {
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=400k") != 0) ::_exit(77);
    State here(folder / "state2");
    Plan made =
        plan(here.reserve(),
             {{shell("cat /dev/zero >" + (disk / "big").string() + " 2>/dev/null; echo over >>" +
                     (folder / "ran").string() + "; exit 3")},
              {shell("true")}});
    made.dir = disk / "runs";
    for (auto& unit : made.units) unit.dir.clear();
    here.record(made);
    const std::string error = error_of([&] { kxm::run(here, made.xid, local); });
    if (error.find("No space left on device") == error.npos) return "no error: " + error;
    // The job that filled the disk has ended, and how it did is known.
    const std::string ended = why(here, made.xid, 1);
    if (!ended.starts_with("exit code 3; the disk was full")) return "unit 1: " + ended;
    if (here.unit(made.xid, 2).state != JobState::waiting) return "unit 2 was started";
    fs::remove(disk / "big");
    const auto result = kxm::run(here, made.xid, local);
    if (result.units != counts(1, 1)) return "it did not go on";
    if (base::read_file(folder / "ran") != "over\n") return "it ran twice";
    return "";
  });
}

TEST_F(Mounted, ALogThatAFullDiskCutIsKnown) {
  in_child([&]() -> std::string {
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=400k") != 0) ::_exit(77);
    State here(folder / "state2");
    const std::string fill = "yes | head -c 1000000; ";
    Plan made = plan(here.reserve(), {{shell("echo fine")}, {shell(fill + "exit 3")}});
    made.dir = disk / "runs";
    for (auto& unit : made.units) unit.dir.clear();
    here.record(made);
    if (kxm::run(here, made.xid, local).units != counts(1, 1)) return "they did not run";
    if (why(here, made.xid, 1) != "finished") return "the first: " + why(here, made.xid, 1);
    const std::string text = why(here, made.xid, 2);
    return text == "exit code 3; the disk was full, so its log may be cut" ? "" : text;
  });
}

// Jobs are stopped, whether or not that can be recorded.
TEST_F(Mounted, OnAFullDiskJobsAreStopped) {
  in_child([&]() -> std::string {
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=400k") != 0) ::_exit(77);
    State here(disk / "state");
    Plan made = plan(here.reserve(), {{shell("exec tail -f /dev/null")}, {shell("true")}});
    made.dir = disk / "runs";
    here.record(made);
    Stopper stopper;
    std::string error;
    fs::path attempt;
    error = error_of([&] {
      kxm::run(
          here, made.xid, local,
          {.on_event =
               [&](const Event& event) {
                 attempt = event.folder;
                 try {
                   base::File(disk / "big", O_WRONLY | O_CREAT).write(std::string(1 << 20, 'x'));
                 } catch (const base::FileError&) {
                 }
                 stopper.ask(Stop::gently);
               },
           .stopper = &stopper});
    });
    if (error.find("full") == error.npos && error.find("No space left") == error.npos) {
      return "no error: " + error;
    }
    while (!fs::exists(attempt / "ended.json")) {
    }
    fs::remove(disk / "big");
    const State after(disk / "state");
    const JobState first = after.unit(made.xid, 1).state;
    return first == JobState::stopped || first == JobState::failed ? "" : "it still runs";
  });
}

TEST_F(Mounted, AReadOnlyFolder) {
  const int xid = record({{shell("true")}});
  in_child([&]() -> std::string {
    const fs::path runs = folder / "runs";
    if (::mount(runs.c_str(), runs.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, runs.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
      ::_exit(77);
    }
    const std::string error = error_of([&] { run(xid); });
    if (error.find("Read-only file system") == error.npos) return "no error: " + error;
    if (state.unit(xid, 1).state != JobState::waiting) return "it was started";
    return "";
  });
}

TEST_F(Mounted, AReadOnlyStateIsRead) {
  const int xid = record({{shell("true")}});
  in_child([&]() -> std::string {
    if (::mount(state_path.c_str(), state_path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, state_path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr)) {
      ::_exit(77);
    }
    const State reader(state_path, State::Open::read);
    if (reader.count_units(xid)[JobState::waiting] != 1) return "it cannot be read";
    const std::string error = error_of([&] { State(state_path).reserve(); });
    return error.find("readonly") == error.npos ? "no error: " + error : "";
  });
}

TEST_F(Mounted, AStateOnAFullDiskIsRead) {
  in_child([&]() -> std::string {
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=400k") != 0) ::_exit(77);
    int xid = 0;
    {
      State here(disk / "state");
      Plan made = plan(here.reserve(), {{shell("true")}});
      made.dir = disk / "runs";
      here.record(made);
      xid = made.xid;
    }
    try {
      base::File(disk / "big", O_WRONLY | O_CREAT).write(std::string(1 << 20, 'x'));
    } catch (const base::FileError&) {
    }
    for (int i = 0; i < 2; ++i) {  // also after a first look
      const State reader(disk / "state", State::Open::read);
      if (reader.count_units(xid)[JobState::waiting] != 1) return "it cannot be read";
    }
    const std::string error = error_of([&] { State(disk / "state").reserve(); });
    return error.find("full") == error.npos ? "no error: " + error : "";
  });
}

}  // namespace
}  // namespace kxm
