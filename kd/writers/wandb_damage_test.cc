// WandbWriter when things go wrong: torn and damaged files, kills, full disks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "kd/core/durable.h"
#include "kd/writers/wandb_test.h"

namespace kd::writers {
namespace {

using konfig::Error;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Wandb, ATornEndIsCutOffWhenTheRunGoesOn) {
  {
    auto writer = open(0);
    for (int i = 0; i < 10; ++i) writer->write(record(i));
  }
  const fs::path path = file();
  const std::string whole = read_file(path);
  std::mt19937 random(17);
  for (int round = 0; round < 50; ++round) {
    const std::size_t n = std::uniform_int_distribution<std::size_t>(7, whole.size())(random);
    base::replace_file(path, whole.substr(0, n));
    const Read torn = read();
    for (std::size_t i = 0; i < torn.rows.size(); ++i) {
      EXPECT_EQ(torn.rows[i].at("step"), std::to_string(i));
    }
    open(20)->write(record(20));
    EXPECT_FALSE(read().is_torn);
    EXPECT_EQ(read().rows.size(), torn.rows.size() + 1);
  }
}

// Nothing is lost, and nothing stops a run from going on.
TEST_F(Wandb, ADamagedFileIsKeptAndANewOneBegins) {
  {
    auto writer = open(0);
    for (int i = 0; i < 4; ++i) writer->write(record(i));
  }
  const fs::path path = file();
  const std::string whole = read_file(path);
  std::string torn_apart = whole;
  torn_apart[whole.size() / 2] ^= 1;
  int kept = 0;
  for (const std::string& damaged : {std::string("something else"), torn_apart}) {
    base::replace_file(path, damaged);
    ::testing::internal::CaptureStderr();
    open(4)->write(record(4));
    const std::string aside =
        path.filename().string() + ".damaged" + (kept ? std::to_string(kept) : "");
    ++kept;
    EXPECT_THAT(
        ::testing::internal::GetCapturedStderr(),
        AllOf(HasSubstr("warning: " + path.string() + ": damaged: byte "),
              HasSubstr("; kept as " + aside + ", and a new file begins with what can be")));
    EXPECT_EQ(read_file(path.parent_path() / aside), damaged);
    const Curve curve = read().curve("train/losses/total");
    EXPECT_EQ(curve.back(), (std::pair<int, std::string>{4, "2.0"}));
    EXPECT_EQ(curve.size() > 1, damaged == torn_apart);
    EXPECT_EQ(read().run.id, path.stem().string().substr(4));
  }
}

// Emptied or cut: the rows before the step that the run goes on from are missing.
TEST_F(Wandb, AFileThatWasCutIsKept) {
  {
    auto writer = open(0);
    for (int i = 0; i < 4; ++i) writer->write(record(i));
  }
  const fs::path path = file();
  const std::string whole = read_file(path);
  int kept = 0;
  for (std::size_t size : {std::size_t{0}, std::size_t{3}, whole.size() / 2}) {
    base::replace_file(path, whole.substr(0, size));
    ::testing::internal::CaptureStderr();
    open(4)->write(record(4));
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("warning: " + path.string() + ": damaged: "),
                      HasSubstr("the file ends within")));
    const std::string aside =
        path.filename().string() + ".damaged" + (kept ? std::to_string(kept) : "");
    ++kept;
    EXPECT_EQ(read_file(path.parent_path() / aside), whole.substr(0, size));
    EXPECT_EQ(read().curve("train/losses/total").back(), (std::pair<int, std::string>{4, "2.0"}));
  }
}

// The torn row is of a step that comes again: nothing is missing.
TEST_F(Wandb, AKillBehindTheCheckpointIsNoDamage) {
  {
    auto writer = open(0);
    for (int i = 0; i < 6; ++i) writer->write(record(i));
  }
  fs::resize_file(file(), fs::file_size(file()) - 40);  // the record of the end, and a bit of a row
  EXPECT_TRUE(read().is_torn);
  ::testing::internal::CaptureStderr();
  open(3)->write(record(3));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), Not(HasSubstr("warning")));
  EXPECT_EQ(read().rows.size(), 4u);
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), {}), 2);  // and files/
}

// Copied by programs that follow links, or leave them out.
TEST_F(Wandb, ACopyWithoutLinksGoesOn) {
  open(0)->write(record(0));
  open(0, "eval")->write({.step = 0, .scalars = {{"x", 1}}});  // alone: its own run
  const fs::path all = workdir_ / "wandb", link = all / "latest-run";
  const fs::path folder = fs::read_symlink(link),
                 evaluation = fs::read_symlink(all / "latest-run-eval");
  fs::remove(link);
  fs::remove(all / "latest-run-eval");
  open(1)->write(record(1));
  open(1, "eval")->write({.step = 1, .scalars = {{"x", 2}}});
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(fs::read_symlink(link), folder);
  EXPECT_EQ(fs::read_symlink(all / "latest-run-eval"), evaluation);
  fs::remove(link);
  fs::copy(all / folder, link, fs::copy_options::recursive);
  ::testing::internal::CaptureStderr();
  open(2)->write(record(2));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("note: " + link.string() +
                        " is a folder, copied from a link; the run is in " + folder.string()));
  const std::string id = folder.string().substr(folder.string().size() - 8);
  EXPECT_EQ(writers::read(all / folder / ("run-" + id + ".wandb")).rows.size(), 3u);
  EXPECT_EQ(std::distance(fs::directory_iterator(all), {}), 4);  // two runs, two links
}

// Killed while it writes, at any moment: a file that can be read, without a step that was whole.
TEST_F(Wandb, AKillLeavesAFileThatCanBeRead) {
  const int rounds = std::getenv("KD_TEST_FULL") ? 100 : 15;
  std::mt19937 random(3);
  std::int64_t step = 0;
  for (int round = 0; round < rounds; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto writer = open(step);
      for (std::int64_t i = step;; ++i) {
        Record next = record(i);
        next.texts = {{"text", {std::string(static_cast<std::size_t>(i * 7919 % 70000), 'x')}}};
        writer->write(next);
        if (::write(ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::int64_t done = -1;
    const int least = std::uniform_int_distribution<int>(1, 20)(random);
    for (int i = 0; i < least; ++i) ASSERT_EQ(::read(ends[0], &done, sizeof done), 8);
    ::usleep(std::uniform_int_distribution<useconds_t>(0, 2000)(random));
    ::kill(child, SIGKILL);
    while (::read(ends[0], &done, sizeof done) == 8) {
    }
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    const Curve curve = read().curve("train/losses/total");
    ASSERT_GE(static_cast<std::int64_t>(curve.size()), done + 1);
    for (std::size_t i = 0; i < curve.size(); ++i) ASSERT_EQ(curve[i].first, static_cast<int>(i));
    step = done + 1 - std::uniform_int_distribution<std::int64_t>(0, 3)(random);
    step = std::max<std::int64_t>(step, 0);
  }
}

TEST_F(Wandb, AFullDiskIsNamedAndLeavesWholeRecords) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{40'000, 40'000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    auto writer = open(0);
    try {
      for (int i = 0;; ++i) writer->write(record(i));
    } catch (const Error& e) {
      const bool named =
          std::string(e.what()).find(".wandb: cannot be written") != std::string::npos;
      (void)writer.release();  // its end does not fit, either
      ::_exit(named ? 0 : 1);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const Read found = read();
  EXPECT_FALSE(found.is_torn);
  EXPECT_GT(found.rows.size(), 50u);
}

TEST_F(Wandb, AFolderThatCannotBeWrittenIsNamed) {
  base::write_synced(workdir_ / "wandb", "a file in its way");
  try {
    open(0)->write(record(0));
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr((workdir_ / "wandb").string()));
  }
  fs::remove(workdir_ / "wandb");
  fs::permissions(workdir_, fs::perms::owner_read | fs::perms::owner_exec);
  const int user = ::setfsuid(65534);  // root may write anywhere, nobody may not
  EXPECT_THROW(open(0)->write(record(0)), Error);
  ::setfsuid(static_cast<uid_t>(user));
  fs::permissions(workdir_, fs::perms::owner_all);
}

}  // namespace
}  // namespace kd::writers
