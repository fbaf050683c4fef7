// Classes of tfimm's registry are known to the program as all types are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "tfimm/train/train.h"

namespace tfimm_test {

struct FieldsConfig {
  tfimm::train::Required<int> nb_classes;
  double weight_decay = 0.01;
  tfimm::train::Any model;
  std::string model_class = "";
};
struct FieldsProblem {
  using cfg_class = FieldsConfig;
};

}  // namespace tfimm_test

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
    EXPECT_THAT(out, AllOf(HasSubstr("tfimm.train:" + std::string(name)),
                           ContainsRegex("nb_classes +int +required"),
                           ContainsRegex("weight_decay +float +0.01"),
                           ContainsRegex("model +Any +None"), HasSubstr("model_class")));
  }
}

}  // namespace
}  // namespace cli
