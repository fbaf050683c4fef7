// Classes of tfimm's registry are known to the program as all types are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "tfimm/train/train.h"

namespace tfimm_test {

struct FieldsModelConfig {
  int width = 1;
};
struct FieldsModel {
  using cfg_class = FieldsModelConfig;
  static inline constexpr std::string_view cfg_role = "gadget";
};

struct FieldsConfig {
  tfimm::train::Required<int> nb_classes;
  double weight_decay = 0.01;
  tfimm::train::Any gadget;
  std::string gadget_class = "";
};
struct FieldsProblem {
  using cfg_class = FieldsConfig;
};

}  // namespace tfimm_test

CFG_SERIALIZABLE(tfimm_test::FieldsModel);
CFG_SERIALIZABLE(tfimm_test::FieldsProblem);

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(Tfimm, ConfigFieldsShowsConfigClasses) {
  for (const char* name : {"FieldsConfig", "FieldsProblem"}) {
    ::testing::internal::CaptureStdout();
    const int code = run({"config", "fields", name});
    const std::string out = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, kFine);
    EXPECT_THAT(
        out, AllOf(HasSubstr("tfimm.train:" + std::string(name)),
                   ContainsRegex("nb_classes +int +required"),
                   ContainsRegex("weight_decay +float +0.01"), ContainsRegex("gadget +Any +None"),
                   ContainsRegex("gadget_class +str +'' +one of FieldsModel\n")));
  }
}

}  // namespace
}  // namespace cli
