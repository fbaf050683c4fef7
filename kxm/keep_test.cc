#include "kxm/keep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "base/temp_folder.h"
#include "konfig/error.h"
#include "konfig/expect_test.h"
#include "test_paths.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::error_of;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

class Keep : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  base::TempFolder folder;
  fs::path store = folder / "store";
};

TEST_F(Keep, LaterEditsDoNotReachTheCopy) {
  const std::vector<KeptFile> files = {{"config.py", write("a/config.py", "import b")},
                                       {"lib/b.py", write("a/lib/b.py", "x = 1")}};
  const Snapshot kept(store, files);
  EXPECT_FALSE(fs::exists(store)) << "nothing is written yet";
  kept.write();
  write("a/lib/b.py", "x = 2");
  EXPECT_EQ(base::read_file(kept.path("lib/b.py")), "x = 1");
  EXPECT_EQ(fs::path(kept.path("config.py")).parent_path(), kept.folder());
  const Snapshot later(store, files);
  EXPECT_NE(later.folder(), kept.folder());
  later.write();
  EXPECT_EQ(base::read_file(later.path("lib/b.py")), "x = 2");
  write("a/lib/b.py", "x = 1");
  EXPECT_EQ(Snapshot(store, {files[1], files[0]}).folder(), kept.folder()) << "the same content";
  EXPECT_THAT(std::vector<fs::path>(fs::directory_iterator(store), {}), SizeIs(2));
}

TEST_F(Keep, KeepsTextThatIsNoFile) {
  const std::vector<KeptFile> files = {{.name = "config.json", .content = "{}"}};
  const Snapshot kept(store, files);
  kept.write();
  EXPECT_EQ(base::read_file(kept.path("config.json")), "{}");
  EXPECT_EQ(Snapshot(store, {{"config.json", write("x.json", "{}")}}).folder(), kept.folder());
  EXPECT_NE(Snapshot(store, {{.name = "config.json", .content = "[]"}}).folder(), kept.folder());
}

TEST_F(Keep, KeepsPrograms) {
  const std::string script = write("run.sh", "#!/bin/sh\n");
  fs::permissions(script, fs::perms::owner_all);
  const Snapshot kept(store, {{"run.sh", script}});
  kept.write();
  EXPECT_NE(fs::status(kept.path("run.sh")).permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(fs::status(kept.path("run.sh")).permissions() & fs::perms::owner_write,
            fs::perms::none);
}

TEST_F(Keep, AFileThatChangesMeanwhile) {
  const std::string file = write("a", "one");
  const Snapshot kept(store, {{"a", file}});
  write("a", "two");
  EXPECT_EQ(error_of([&] { kept.write(); }),
            file + ": it was changed during the launch; launch again");
  EXPECT_FALSE(fs::exists(kept.folder()));
}

TEST_F(Keep, Errors) {
  const std::string file = write("a", "one");
  EXPECT_THAT(error_of([&] {
                Snapshot(store, {{"a", folder / "none"}});
              }),
              HasSubstr("files: 'a': " + (folder / "none").string() + " does not exist"));
  EXPECT_THAT(error_of([&] {
                Snapshot(store, {{"../a", file}});
              }),
              HasSubstr("'../a' cannot be a file's name"));
  EXPECT_THAT(error_of([&] { Snapshot(store, {{"/a", file}}); }), HasSubstr("relative path"));
  EXPECT_THAT(error_of([&] {
                Snapshot(store, {{"a", file}, {"a", file}});
              }),
              HasSubstr("'a' is given twice"));
  EXPECT_EQ(error_of([&] {
              Snapshot(store, {{"config.py", file}}).path("confg.py");
            }),
            "files: there is no 'confg.py'; did you mean 'config.py'?");
}

TEST_F(Keep, AProgramAndItsLibraries) {
  const auto files = program_files(KD_BINARY_DIR "/tests/kxm_driver");
  ASSERT_FALSE(files.empty());
  EXPECT_EQ(files.front().name, "tests/kxm_driver");
  EXPECT_THAT(files, Contains(Field(&KeptFile::name, HasSubstr("lib/libkonfig.so"))));
  const Snapshot kept(store, files);
  kept.write();
  // It runs there, and finds its libraries there.
  const std::string program = kept.path("tests/kxm_driver");
  const std::string command = "ldd " + program + " | grep -q " + kept.folder().string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(program_files("/bin/true"), SizeIs(1));
  EXPECT_THAT(program_files(write("script", "#!/bin/sh\n")), SizeIs(1));
}

}  // namespace
}  // namespace kxm
