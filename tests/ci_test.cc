// What continuous integration calls a failure: failed tests, and skipped ones that are not named.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/durable.h"
#include "base/temp_folder.h"
#include "test_paths.h"

namespace {

namespace fs = std::filesystem;

// The script with a `test` that prints `said` and ends with `code`, the second time with `again`;
// whether it is content.
bool passes(const std::string& said, int code, int again = 9) {
  const base::TempFolder folder;
  fs::create_directory(folder / ".ci");
  fs::copy_file(KD_SOURCE_DIR "/.ci/run", folder / ".ci/run");
  base::write_synced(folder / ".ci/may_skip", "cli.Complete.InFish\n");
  base::write_synced(folder / "test", "#!/bin/sh\n[ \"$1\" != --rerun-failed ] || exit " +
                                          std::to_string(again) + "\ncat <<'END'\n" + said +
                                          "END\nexit " + std::to_string(code) + "\n");
  fs::permissions(folder / "test", fs::perms::owner_all);
  const std::string command = (folder / ".ci/run").string() + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

TEST(Ci, ASkippedTestIsAFailureUnlessItIsNamed) {
  EXPECT_TRUE(passes("100% tests passed\n", 0));
  EXPECT_FALSE(passes("99% tests passed\n", 8));
  const std::string head = "100% tests passed\n\nThe following tests did not run:\n";
  EXPECT_TRUE(passes(head + "\t 12 - cli.Complete.InFish (Skipped)\n", 0));
  EXPECT_FALSE(passes(head + "\t 13 - json.Big.Numbers (Disabled)\n", 0));
  EXPECT_FALSE(
      passes(head + "\t 12 - cli.Complete.InFish (Skipped)\n\t 13 - cli.Run.Full (Skipped)\n", 0));
}

TEST(Ci, AFailedTestIsRunOnceMore) {
  const std::string one = "The following tests FAILED:\n\t 12 - cli.Run.AFullDisk (Failed)\n";
  EXPECT_TRUE(passes(one, 8, 0));
  EXPECT_FALSE(passes(one, 8, 8));
  EXPECT_FALSE(passes("error: it does not compile\n", 1, 0));

  std::string many = "The following tests FAILED:\n";
  for (int i = 0; i != 11; ++i) many += "\t 1 - cli.Run.No" + std::to_string(i) + " (Timeout)\n";
  EXPECT_FALSE(passes(many, 8, 0)) << "so many are no accident";
  EXPECT_FALSE(passes(one + "\t 13 - cli.Run.Full (Skipped)\n", 8, 0));
}

}  // namespace
