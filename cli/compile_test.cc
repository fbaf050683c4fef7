// The real program and what can happen to it while it compiles a config: others that do the same,
// kill -9, a cache that cannot be written to, a full disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The caches of all tests are below this folder, so that kd.h is precompiled once only.
const std::string kCaches = KD_BINARY_DIR "/cli_test_cache";

// Stands for the compiler, and waits where a test wants it to: it writes a line to the pipe
// `started` and reads one from `go`. It never changes, so what is compiled with it stays valid.
std::string waiting_compiler() {
  std::string file = kCaches + "/waiting_compiler";
  const std::string text =
      "#!/bin/sh\n"
      "case \"$*\" in *c++-header*) exec " KD_TEST_CXX
      " \"$@\";; esac\n"
      "if [ -n \"$KD_TEST_PIPES\" ]; then\n"
      "  echo $$ >\"$KD_TEST_PIPES/started\"\n"
      "  read line <\"$KD_TEST_PIPES/go\"\n"
      "fi\n"
      "exec " KD_TEST_CXX " \"$@\"\n";
  if (read_text(file) != text) {
    std::filesystem::create_directories(kCaches);
    write_text(file, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  return file;
}

class Compile : public testing::Test {
 protected:
  Compile() {
    write_text(folder / "c.cc",
               "#include \"kd/kd.h\"\n"
               "// " +
                   folder.path() +
                   "\n"  // so that no other test has compiled it
                   "static konfig::ConfigDict get_config() { return {{\"seed\", 3}}; }\n"
                   "KONFIG_EXPORT(get_config)\n");
  }

  // A shell script in the test's folder; `$KD` shows the seed of the config.
  Outcome script(const std::string& text) {
    return spawn("/bin/sh", {"-c", "KD='" KD_BINARY_DIR "/kd config get seed --cfg=c.cc'\n" + text},
                 {.env = {{"XDG_CACHE_HOME", kCaches}, {"KD_CXX", waiting_compiler()}},
                  .folder = folder.path()});
  }

  TempFolder folder;
};

TEST_F(Compile, TwoAtOnce) {
  const Outcome run = script(
      "mkfifo started go\n"
      "export KD_TEST_PIPES=$PWD\n"
      "$KD >a & a=$!\n"
      "$KD >b & b=$!\n"
      "exec 3<>started 4<>go\n"
      "read one <&3; read two <&3\n"  // both are compiling now
      "echo >&4; echo >&4\n"
      "wait $a; echo $?; wait $b; echo $?\n"
      "cat a b\n"
      "unset KD_TEST_PIPES; $KD\n");  // does not compile: it would wait for ever
  EXPECT_EQ(run.out, "0\n0\n3\n3\n3\n") << run.err;
}

TEST_F(Compile, KilledInTheMiddle) {
  const Outcome run = script(
      "mkfifo started go\n"
      "KD_TEST_PIPES=$PWD $KD & kd=$!\n"
      "read compiler <started\n"
      "kill -9 $kd; wait $kd; echo $?\n"
      "$KD\n");
  EXPECT_EQ(run.out, "137\n3\n") << run.err;
}

TEST_F(Compile, ReadOnlyCache) {
  const Outcome run = script(
      "mkdir tmp; export TMPDIR=$PWD/tmp\n"
      "unshare -m /bin/sh -c \"mount --bind '$XDG_CACHE_HOME' '$XDG_CACHE_HOME' &&"
      " mount -o remount,bind,ro '$XDG_CACHE_HOME' || exit 77; $KD\"\n"
      "code=$?; ls tmp; exit $code\n");
  if (run.code == 77) GTEST_SKIP() << "mounting needs rights: " << run.err;
  EXPECT_EQ(run.out, "3\n") << run.err;
}

TEST_F(Compile, FullDisk) {
  const Outcome run = script(
      "mkdir disk\n"
      "unshare -m /bin/sh -c \"mount -t tmpfs -o size=64k none disk || exit 77;"
      " export TMPDIR=\\$PWD/disk; export XDG_CACHE_HOME=\\$TMPDIR; $KD; echo \\$?;"
      " find disk -type f -size +0 ! -name '*.lock'\" || exit 77\n");
  if (run.code == 77) GTEST_SKIP() << "mounting needs rights: " << run.err;
  EXPECT_EQ(run.out, "1\n");
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: c.cc: no space left on the disk"));
}

// A config that is data, or compiled in, needs no engine.
TEST(Kd, LoadsNoLibtorch) {
  for (const char* command : {"show", "resolve", "help"}) {
    const Outcome run =
        kd({"config", command, "--cfg=mnist_autoencoder"}, {.env = {{"LD_DEBUG", "libs"}}});
    EXPECT_EQ(run.code, kFine);
    EXPECT_THAT(run.err, HasSubstr("libkonfig"));
    EXPECT_THAT(run.err, Not(HasSubstr("libtorch")));
    EXPECT_THAT(run.err, Not(HasSubstr("libc10")));
  }
}

}  // namespace
}  // namespace cli
