// What the tests of the loader share: folders, a cache of their own, a compiler that can be
// watched.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/temp_folder.h"
#include "loader/files_impl.h"
#include "loader/loader.h"
#include "loader/subprocess_impl.h"

namespace loader {

// A folder for the test's files. Sets the environment and restores it at the end.
class FileTest : public testing::Test {
 protected:
  FileTest();
  ~FileTest() override;

  const std::filesystem::path& dir() const { return dir_.path(); }
  std::string write(const std::string& name, const std::string& text) const;  // its path
  void set(const char* variable, const std::string& value);
  void unset(const char* variable);

  // Runs tests/loader_probe on the source, in the environment of this test.
  static Outcome probe(const std::string& source, const std::vector<std::string>& more = {});
  static std::string probe_program();

 private:
  void remember(const char* variable);
  base::TempFolder dir_;
  std::vector<std::pair<std::string, std::pair<bool, std::string>>> old_;
};

// Tests that compile. The precompiled header is made once, in the build folder, for all of them.
class CompileTest : public FileTest {
 protected:
  CompileTest();

  // A cache of this test alone, in which only the precompiled header is there.
  void use_fresh_cache();
  std::filesystem::path cache_dir() const { return cache_ / "kauldron" / "configs"; }
  // Names of what is in the cache: of files that end in `suffix`, or of folders in use.
  std::vector<std::string> cached(const std::string& suffix) const;
  std::vector<std::string> leftovers() const;

  int compiler_runs() const;  // since the start of the test; not those for the header
  // Makes the compiler wait: it writes its process number and a newline to `started`, then reads
  // from `go`. Both are named pipes.
  void hold_compiler();
  void release_compiler();
  std::string started() const { return (dir() / "started").string(); }
  std::string go() const { return (dir() / "go").string(); }

  std::filesystem::path cache_;
};

// A config file: `body` is that of get_config, which returns a ConfigDict.
std::string cc_config(const std::string& body, const std::string& before = "");

}  // namespace loader
