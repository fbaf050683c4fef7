// What other processes, signals and disks can do to a compilation.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "base/file.h"
#include "loader/fixture_test.h"

namespace loader {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class Process : public CompileTest {
 protected:
  // The probe in the background; its output goes to a file.
  pid_t start(const std::string& source, const std::string& out) const {
    const auto program = probe_program();
    const pid_t pid = ::fork();
    if (pid == 0) {
      const int fd = ::open((dir() / out).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(fd, 1);
      ::execl(program.c_str(), program.c_str(), source.c_str(), nullptr);
      ::_exit(127);
    }
    return pid;
  }
  static int wait(pid_t pid) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    return status;
  }
  std::string output(const std::string& name) const {
    return base::try_read_file(dir() / name).value_or("");
  }

  const std::string config = cc_config("  return {{\"seed\", 3}};");
};

TEST_F(Process, TwoCompileTheSameFileAtOnce) {
  use_fresh_cache();
  const auto file = write("my.cc", config);
  hold_compiler();
  const pid_t a = start(file, "a");
  const pid_t b = start(file, "b");
  {
    std::ifstream started_pipe(started());
    std::string line;
    ASSERT_TRUE(std::getline(started_pipe, line));
    ASSERT_TRUE(std::getline(started_pipe, line)) << "both are compiling now";
  }
  const int go_pipe = ::open(go().c_str(), O_RDWR);
  ASSERT_EQ(::write(go_pipe, "\n\n", 2), 2);
  EXPECT_EQ(wait(a), 0);
  EXPECT_EQ(wait(b), 0);
  ::close(go_pipe);
  EXPECT_EQ(output("a"), "{\"seed\": 3}\n");
  EXPECT_EQ(output("b"), "{\"seed\": 3}\n");
  EXPECT_EQ(cached(".so").size(), 1u);
  EXPECT_THAT(leftovers(), IsEmpty());
  release_compiler();
  EXPECT_EQ(probe(file).out, "{\"seed\": 3}\n");
  EXPECT_EQ(compiler_runs(), 2);
}

TEST_F(Process, KilledInTheMiddle) {
  use_fresh_cache();
  const auto file = write("my.cc", config);
  hold_compiler();
  const pid_t pid = start(file, "a");
  {
    std::ifstream started_pipe(started());
    std::string line;
    ASSERT_TRUE(std::getline(started_pipe, line));
    EXPECT_EQ(::kill(pid, SIGKILL), 0);
    EXPECT_TRUE(WIFSIGNALED(wait(pid)));
    EXPECT_FALSE(std::getline(started_pipe, line)) << "the compiler is gone too";
  }
  EXPECT_THAT(cached(".so"), IsEmpty());
  EXPECT_THAT(cached(".deps"), IsEmpty());
  ASSERT_EQ(leftovers().size(), 1u);

  // Another run does not mind, and an hour later the rest is cleaned up.
  release_compiler();
  EXPECT_EQ(probe(file).out, "{\"seed\": 3}\n");
  EXPECT_EQ(cached(".so").size(), 1u);
  ASSERT_EQ(leftovers().size(), 1u);
  fs::last_write_time(cache_dir() / leftovers()[0],
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_EQ(probe(write("other.cc", config)).exit_code, 0);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Process, InterruptedInTheMiddle) {
  use_fresh_cache();
  const auto file = write("my.cc", config);
  hold_compiler();
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t pid = start(file, "a");
    std::ifstream started_pipe(started());
    std::string line;
    ASSERT_TRUE(std::getline(started_pipe, line));
    EXPECT_EQ(::kill(pid, signal), 0);
    const int status = wait(pid);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_FALSE(std::getline(started_pipe, line)) << "the compiler is gone too";
    EXPECT_THAT(leftovers(), IsEmpty());
    EXPECT_THAT(cached(".so"), IsEmpty());
  }
}

// A folder that is a mount of its own, where the tests run as root in a place that allows it.
class Mounted : public Process {
 protected:
  ~Mounted() override {
    for (auto& mount : mounts_) ::umount2(mount.c_str(), MNT_DETACH);
  }
  bool mount_tmpfs(const fs::path& at, const char* options) {
    fs::create_directories(at);
    if (::mount("tmpfs", at.c_str(), "tmpfs", 0, options) != 0) return false;
    mounts_.push_back(at);
    return true;
  }
  static bool make_read_only(const fs::path& at) {
    return ::mount(nullptr, at.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }
  void use_tmp() {
    fs::create_directories(dir() / "tmp");
    set("TMPDIR", (dir() / "tmp").string());
  }
  bool tmp_is_empty() const { return fs::is_empty(dir() / "tmp"); }

 private:
  std::vector<fs::path> mounts_;
};

TEST_F(Mounted, ReadOnlyCache) {
  use_fresh_cache();
  const auto before = write("before.cc", config);
  EXPECT_EQ(probe(before).exit_code, 0);
  EXPECT_EQ(compiler_runs(), 1);
  use_tmp();
  // Root may write everywhere but to a read-only disk.
  if (::geteuid() == 0) {
    const auto full = cache_dir();
    cache_ = dir() / "readonly";
    if (!mount_tmpfs(cache_, "size=1m")) GTEST_SKIP() << "cannot mount here";
    fs::create_directories(cache_dir());
    for (const auto& name : {"prefix", "config", "before"}) {
      for (const auto& entry : fs::directory_iterator(full)) {
        const auto file = entry.path().filename().string();
        if (file.starts_with(name) && !entry.is_directory())
          fs::copy(entry.path(), cache_dir() / file);
        if (file.starts_with(name) && entry.is_directory()) {
          fs::create_directory_symlink(entry.path(), cache_dir() / file);
        }
      }
    }
    ASSERT_TRUE(make_read_only(cache_));
    set("XDG_CACHE_HOME", cache_.string());
  } else {
    fs::permissions(cache_dir(), fs::perms::owner_read | fs::perms::owner_exec);
  }
  EXPECT_EQ(probe(before).out, "{\"seed\": 3}\n");
  EXPECT_EQ(compiler_runs(), 1) << "what is there can be used";
  const auto result = probe(write("after.cc", config));
  EXPECT_EQ(result.out, "{\"seed\": 3}\n") << result.err;
  EXPECT_EQ(compiler_runs(), 2);
  EXPECT_TRUE(tmp_is_empty());
  if (::geteuid() != 0) fs::permissions(cache_dir(), fs::perms::owner_all);
}

TEST_F(Mounted, FullDisk) {
  use_fresh_cache();  // has made the header: what follows is about the file alone
  use_tmp();
  const auto file = write("my.cc", config);
  cache_ = dir() / "full";
  if (!mount_tmpfs(cache_, "size=64k")) GTEST_SKIP() << "cannot mount here";
  set("XDG_CACHE_HOME", cache_.string());

  // There is room elsewhere.
  auto result = probe(file);
  EXPECT_EQ(result.out, "{\"seed\": 3}\n") << result.err;
  EXPECT_THAT(cached(".so"), IsEmpty());
  EXPECT_THAT(cached(".deps"), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_TRUE(tmp_is_empty());

  // There is none anywhere.
  set("TMPDIR", cache_.string());
  result = probe(file);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("my.cc: no space left on the disk"));
  EXPECT_THAT(leftovers(), IsEmpty());
  for (const auto& entry : fs::directory_iterator(cache_)) {
    EXPECT_EQ(entry.path().filename(), "kauldron");
  }
}

TEST_F(Process, NoCacheAtAll) {
  const auto file = write("my.cc", config);
  fs::create_directories(dir() / "tmp");
  set("TMPDIR", (dir() / "tmp").string());
  set("XDG_CACHE_HOME", write("a_file", ""));
  const auto result = probe(file);
  EXPECT_EQ(result.out, "{\"seed\": 3}\n") << result.err;
  EXPECT_TRUE(fs::is_empty(dir() / "tmp"));
}

}  // namespace
}  // namespace loader
