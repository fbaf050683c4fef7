#include "loader/key_order_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "konfig/error.h"
#include "loader/build_info_impl.h"
#include "loader/compile_impl.h"
#include "loader/fixture_test.h"
#include "test_paths.h"

namespace loader {
namespace {

using ::testing::HasSubstr;

TEST(KeyOrder, AFunctionTakesTheKeysAsTheFieldsHaveThem) {
  auto error = [](const std::string& members) {
    return wrong_key_order("// a model\nstruct Blend : nn::Module<Blend> {\n" + members + "};\n");
  };
  const std::string keys = "  Key first = \"batch.a\";\n  std::optional<Key> second = {};\n";
  EXPECT_EQ(error(keys + "  Tensor call(const Tensor& second, Float<\"*b, h\"> first) const;\n"),
            "5: Blend::call takes 'second' before 'first', but keys are bound in the order of "
            "their fields, where 'first' comes first; change the order of one of them");
  EXPECT_EQ(error(keys + "  Tensor call(const Tensor& first, Tensor second = {}) const;\n"), "");
  // The order of functions and fields does not matter; a body is not read.
  EXPECT_THAT(error("  Tensor get_values(Tensor b, Tensor a) const { return a - b; }\n"
                    "  int n = 3;\n  Key a, b;\n"),
              HasSubstr("3: Blend::get_values takes 'b' before 'a'"));
  // Names that are not those of keys say nothing, and other functions are not bound.
  EXPECT_EQ(error(keys + "  Tensor call(const Tensor& y, const Tensor& x) const;\n"), "");
  EXPECT_EQ(error(keys + "  Tensor mix(const Tensor& second, const Tensor& first) const;\n"), "");
  EXPECT_EQ(error("  random::Key a, b;\n  Tensor call(Tensor b, Tensor a) const;\n"), "");
}

class KeyOrderFile : public FileTest {};

TEST_F(KeyOrderFile, IsRefusedWithItsLine) {
  const auto file = write("blend.cc", R"(#include "kd/model.h"
struct Blend : kd::nn::Module<Blend> {
  kd::Key first = "batch.a";
  kd::Key second = "batch.b";
  kd::Tensor call(const kd::Tensor& second, const kd::Tensor& first) const { return first; }
};
)");
  EXPECT_THAT([&] { compile(file); }, ::testing::ThrowsMessage<konfig::Error>(
                                          HasSubstr("blend.cc:5: Blend::call takes 'second'")));
}

// A target's sources may lie beside its project; what is installed elsewhere is not read.
TEST_F(KeyOrderFile, SourcesOfATargetAreReadWhereverTheyAre) {
  const std::string config =
      "#include \"tfimm/train/train.h\"\nstruct WideConfig {\n  int width = 1;  // of the "
      "hidden layer\n};\n";
  write("project/main.cc", "#include \"../installed/other.h\"\n");
  write("installed/other.h", "struct Other {\n  int size = 1;  // of nothing\n};\n");
  write("own/wide.h", config);
  const std::string source = write("own/wide.cc", "#include \"wide.h\"\n");
  const std::string out = (dir() / "out.cc").string();
  const Outcome outcome = run(
      {.argv = {std::string(KD_BINARY_DIR) + "/kd_read_sources", out, (dir() / "project").string(),
                "-I", (dir() / "project/main.cc").string(), source}});
  EXPECT_TRUE(outcome.ok()) << outcome.err;
  EXPECT_THAT(base::read_file(out), ::testing::AllOf(HasSubstr("\"of the hidden layer\""),
                                                     ::testing::Not(HasSubstr("of nothing"))));
}

TEST(KeyOrder, OurOwnComponentsKeepIt) {
  int read = 0;
  for (auto& entry : std::filesystem::recursive_directory_iterator(include_root() / "kd")) {
    if (entry.path().extension() != ".h") continue;
    EXPECT_EQ(wrong_key_order(*base::try_read_file(entry.path())), "") << entry.path();
    ++read;
  }
  EXPECT_GT(read, 200);
}

}  // namespace
}  // namespace loader
