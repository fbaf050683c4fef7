// The remark on settings that change nothing here.
#include "cli/without_effect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/konfig.h"

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string note_on(const konfig::ConfigDict& cfg) {
  testing::internal::CaptureStderr();
  note_without_effect(cfg);
  return testing::internal::GetCapturedStderr();
}

konfig::ConfigDict config() {
  return konfig::call("kauldron.kd:train.Trainer",
                      {{"writer", konfig::call("kauldron.kd:train.KDMetricWriter")}});
}

TEST(WithoutEffect, NamesWhatXManagerAloneWouldGet) {
  konfig::ConfigDict cfg = config();
  EXPECT_EQ(note_on(cfg), "");
  cfg["writer"]["add_artifacts"] = false;
  EXPECT_THAT(note_on(cfg), HasSubstr("cfg.writer.add_artifacts (there is no XManager)"));
  cfg["setup"] = konfig::call(
      "kauldron.kd:train.Setup",
      {{"tqdm_info", konfig::call("kauldron.kd:train.TqdmInfo", {{"log_xm", false}})}});
  cfg["evals"] = konfig::ConfigDict();
  cfg["evals"]["far"] = konfig::call(
      "kauldron.kd:contrib.evals.CheckpointedEvaluator",
      {{"run", konfig::call("kauldron.kd:evals.EveryNSteps", {{"n", 5}})}, {"log_tqdm_xm", true}});
  EXPECT_THAT(note_on(cfg), AllOf(HasSubstr("without effect here: "),
                                  HasSubstr("cfg.writer.add_artifacts (there is no XManager)"),
                                  HasSubstr("cfg.setup.tqdm_info.log_xm (there is no XManager)"),
                                  HasSubstr("cfg.evals.far.log_tqdm_xm (there is no XManager)")));
}

// All writers take it.
TEST(WithoutEffect, OfEveryWriter) {
  for (const char* name :
       {"kauldron.kd:train.KDMetricWriter", "kauldron.kd:contrib.train.NpzWriter",
        "kauldron.kd:contrib.train.GifVideoWriter",
        "kauldron.kd:contrib.train.MLFlowMetricWriter"}) {
    konfig::ConfigDict cfg = config();
    cfg["writer"] = konfig::call(name, {{"add_artifacts", false}});
    EXPECT_THAT(note_on(cfg), HasSubstr("cfg.writer.add_artifacts")) << name;
  }
}

// A value that is what it would be anyway asks for nothing.
TEST(WithoutEffect, DefaultsAreNotNamed) {
  konfig::ConfigDict cfg = config();
  cfg["writer"]["add_artifacts"] = true;
  EXPECT_EQ(note_on(cfg), "");
}

}  // namespace
}  // namespace cli
