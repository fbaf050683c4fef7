#include "cli/sweep_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/errors.h"
#include "konfig/json.h"

namespace cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> points(std::vector<std::string> args, bool zip = false) {
  std::vector<std::string> out;
  for (auto& point : points_of(take_sweep_flags(args), zip)) out.push_back(konfig::to_json(point));
  return out;
}

std::string error_of(std::vector<std::string> args, bool zip = false) {
  try {
    points(std::move(args), zip);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(SweepFlags, ProductAndZip) {
  EXPECT_THAT(points({"--sweep.lr=[0.1, 0.2]", "--sweep.seed=[1,2]"}),
              ElementsAre(R"({"lr": 0.1, "seed": 1})", R"({"lr": 0.1, "seed": 2})",
                          R"({"lr": 0.2, "seed": 1})", R"({"lr": 0.2, "seed": 2})"));
  EXPECT_THAT(points({"--sweep.lr=[0.1,0.2]", "--sweep.seed=[1,2]"}, /*zip=*/true),
              ElementsAre(R"({"lr": 0.1, "seed": 1})", R"({"lr": 0.2, "seed": 2})"));
  EXPECT_THAT(points({}), ElementsAre());
}

TEST(SweepFlags, ValuesAreReadAsFlagsAre) {
  EXPECT_THAT(points({"--sweep.o=[adam,sgd]"}), ElementsAre(R"({"o": "adam"})", R"({"o": "sgd"})"));
  EXPECT_THAT(points({"--sweep.o=(True,None)"}), ElementsAre(R"({"o": true})", R"({"o": null})"));
  EXPECT_THAT(points({"--sweep.batch-size=[[1,2],\"x=y\"]"}),
              ElementsAre(R"({"batch-size": [1, 2]})", R"({"batch-size": "x=y"})"));
}

TEST(SweepFlags, OtherArgumentsStay) {
  std::vector<std::string> args = {"launch", "--sweep.a=[1]", "--x", "--", "--sweep.b=[2]"};
  EXPECT_EQ(take_sweep_flags(args).size(), 1u);
  EXPECT_THAT(args, ElementsAre("launch", "--x", "--", "--sweep.b=[2]"));
}

TEST(SweepFlags, WhatIsWrong) {
  EXPECT_THAT(error_of({"--sweep.a=3"}), HasSubstr("write --sweep.a=[1,2,3]"));
  EXPECT_THAT(error_of({"--sweep.a=[]"}), HasSubstr("nothing would run"));
  std::string many = "[0";
  for (int i = 1; i < 2000; ++i) many += "," + std::to_string(i);
  many += "]";
  EXPECT_THAT(error_of({"--sweep.a=" + many, "--sweep.b=" + many}),
              HasSubstr("more than 1000000 combinations"));
  EXPECT_THAT(error_of({"--sweep.a"}), HasSubstr("write --sweep.PATH=[1,2,3]"));
  EXPECT_THAT(error_of({"--sweep.a=[1]", "--sweep.a=[2]"}), HasSubstr("given twice"));
  EXPECT_THAT(error_of({"--sweep.a=[1]", "--sweep.b=[2,3]"}, /*zip=*/true),
              HasSubstr("--sweep.a has 1 values and --sweep.b has 2"));
}

}  // namespace
}  // namespace cli
