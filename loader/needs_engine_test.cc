#include "loader/needs_engine_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "loader/build_info_impl.h"
#include "loader/fixture_test.h"

namespace loader {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NeedsEngine, BySource) {
  EXPECT_TRUE(source_needs_engine("// A model.\n#include \"kd/model.h\"\n"));
  EXPECT_TRUE(source_needs_engine("  # include <ATen/ops/zeros.h>"));
  EXPECT_TRUE(source_needs_engine("#include \"kd/kd.h\"\r\n#include\t<c10/core/Device.h>\r\n"));
  EXPECT_FALSE(source_needs_engine("#include \"kd/kd.h\"\n#include <vector>\n"));
  EXPECT_FALSE(source_needs_engine("// #include \"kd/model.h\"\n"));
  EXPECT_FALSE(source_needs_engine("#include MODEL\n#\n#include\n#include \"my/kd/model.h\"\n"));
  EXPECT_FALSE(source_needs_engine(""));
}

class NeedsEngineLibrary : public FileTest {
 protected:
  std::filesystem::path library(const std::string& source) const {
    const std::string out = (dir() / "library.so").string();
    EXPECT_TRUE(
        run({.argv = {compiler_name(), "-shared", "-fPIC", write("library.cc", source), "-o", out}})
            .ok());
    return out;
  }
};

TEST_F(NeedsEngineLibrary, BySymbols) {
  const std::string start = "#include <cstdio>\nint engine_one();\nint engine_two();\n";
  EXPECT_FALSE(library_needs_engine(library(start + "void f() { std::puts(\"f\"); }\n")));
  const auto file = library(start +
                            "int f() { return engine_one() + engine_one(); }\n"
                            "extern \"C\" __attribute__((weak)) int engine_three();\n"
                            "int (*g)() = engine_three;\n");
  EXPECT_TRUE(library_needs_engine(file));
  EXPECT_THAT(missing_symbols(file), ElementsAre("_Z10engine_onev"));
}

TEST_F(NeedsEngineLibrary, WhatIsNoLibraryMissesNothing) {
  EXPECT_THAT(missing_symbols(dir() / "none.so"), IsEmpty());
  EXPECT_THAT(missing_symbols(write("text.so", "no library")), IsEmpty());
  const auto file = library("int engine_one();\nint f() { return engine_one(); }\n");
  const std::string whole = base::read_file(file);
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    EXPECT_THAT(missing_symbols(write("cut.so", whole.substr(0, size))), IsEmpty()) << size;
  }
}

}  // namespace
}  // namespace loader
