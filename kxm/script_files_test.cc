#include "kxm/script_files_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class ScriptFiles : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text = "") const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::vector<std::string> names(const fs::path& script) {
    std::vector<std::string> out;
    for (auto& file : script_files(script)) out.push_back(file.name);
    return out;
  }
  base::TempFolder folder_;
};

TEST_F(ScriptFiles, ModulesBesideIt) {
  const fs::path script = write("train.py");
  for (const char* other : {"model.py", "data.csv", "nets/big.py", "nets/parts/a.py", "runs/1/log",
                            ".git/hook.py", "venv/pyvenv.cfg", "venv/x.py"}) {
    write(other);
  }
  fs::create_directory_symlink(folder_ / "nets", folder_ / "again");
  EXPECT_THAT(names(script), ElementsAre("train.py", "model.py", "nets/big.py", "nets/parts/a.py"));
  EXPECT_TRUE(script_files(script).front().source.starts_with("/"));
}

TEST_F(ScriptFiles, OfVeryManyThoseBesideIt) {
  const fs::path script = write("train.py");
  write("model.py");
  for (int i = 0; i < 1001; ++i) write("many/m" + std::to_string(i) + ".py");
  EXPECT_THAT(names(script), ElementsAre("train.py", "model.py"));
}

TEST_F(ScriptFiles, WhatPythonRuns) {
  EXPECT_TRUE(is_python("/nowhere/train.py"));
  EXPECT_TRUE(is_python(write("a", "#!/usr/bin/env python3\nimport x\n")));
  EXPECT_FALSE(is_python(write("b", "#!/bin/sh\npython3 x\n")));
  EXPECT_FALSE(is_python("/bin/true"));
}

}  // namespace
}  // namespace kxm
