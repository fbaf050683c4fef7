#include "kd/nn/overview.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kd::nn {
namespace {

using ::testing::HasSubstr;

TEST(Overview, Table) {
  Tree params = Tree::dict({{"b", Tree::dict({{"kernel", Tree(at::ones({1200, 3}))}})},
                            {"a", Tree(at::ones({}, at::kDouble))}});
  EXPECT_EQ(parameter_overview(params),
            "+----------+-----------+---------+-------+\n"
            "| Name     | Shape     | Dtype   | Size  |\n"
            "+----------+-----------+---------+-------+\n"
            "| a        | ()        | float64 | 1     |\n"
            "| b/kernel | (1200, 3) | float32 | 3,600 |\n"
            "+----------+-----------+---------+-------+\n"
            "Total: 3,601 -- 14,408 bytes");
  EXPECT_THAT(parameter_overview(Tree::dict()), HasSubstr("Total: 0 -- 0 bytes"));
}

TEST(Overview, LongTablesEnd) {
  Tree params = Tree::dict();
  for (int i = 0; i < 10; ++i) params["p" + std::to_string(i)] = Tree(at::ones({2}));
  std::string text = parameter_overview(params, {.max_lines = 8});
  EXPECT_THAT(text, HasSubstr("| p1   | (2,)  | float32 | 2    |\n[...]\n+"));
}

TEST(Overview, NumbersAsPythonShowsThem) {
  auto mean = [](double value) {
    std::string text =
        parameter_markdown(Tree::dict({{"x", Tree(at::full({1}, value, at::kDouble))}}), "-");
    auto at = text.find("| 1    | ") + 9;
    return text.substr(at, text.find(' ', at) - at);
  };
  EXPECT_EQ(mean(0), "0.0");
  EXPECT_EQ(mean(-0.00022139), "-0.000221");
  EXPECT_EQ(mean(6.849e-5), "6.85e-05");
  EXPECT_EQ(mean(1), "1.0");
  EXPECT_EQ(mean(12.34), "12.3");
  EXPECT_EQ(mean(9.999), "10.0");
  EXPECT_EQ(mean(100), "1e+02");
  EXPECT_EQ(mean(12345), "1.23e+04");
  EXPECT_EQ(mean(0.5), "0.5");
}

TEST(Overview, Markdown) {
  Tree params = Tree::dict({{"x", Tree(at::arange(4, at::kFloat))}});
  EXPECT_EQ(parameter_markdown(params, "one"),
            "| Name | Shape | Dtype   | Size | Mean | Std  | Sharding |\n"
            "|------|-------|---------|------|------|------|----------|\n"
            "| x    | (4,)  | float32 | 4    | 1.5  | 1.12 | one      |\n"
            "\n"
            "Total: 4 -- 16 bytes");
}

TEST(Overview, OfARun) {
  const Tree params =
      Tree::dict({{"decoder", Tree::dict({{"kernel", Tree(at::arange(2000).reshape({20, 100}))},
                                          {"bias", Tree(at::full({3}, 12, at::kFloat))}})},
                  {"scale", Tree(at::full({}, 0.000123456, at::kFloat))}});
  EXPECT_EQ(parameter_markdown(params, "()"),
            "| Name           | Shape     | Dtype   | Size  | Mean     | Std      | Sharding |\n"
            "|----------------|-----------|---------|-------|----------|----------|----------|\n"
            "| decoder/bias   | (3,)      | float32 | 3     | 12.0     | 0.0      | ()       |\n"
            "| decoder/kernel | (20, 100) | int64   | 2,000 | 1e+03    | 5.77e+02 | ()       |\n"
            "| scale          | ()        | float32 | 1     | 0.000123 | 0.0      | ()       |\n"
            "\nTotal: 2,004 -- 16,016 bytes");
}

}  // namespace
}  // namespace kd::nn
