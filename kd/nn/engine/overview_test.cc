#include "kd/nn/engine/overview.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <numeric>
#include <sstream>

#include "kd/core/ops.h"
#include "kd/nn/engine/nn.h"
#include "kd/nn/engine/summary.h"
#include "kd/nn/models/autoencoder.h"
#include "kd/nn/models/vit.h"

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

TEST(Summary, Autoencoder) {
  const FlatAutoencoder model{.inputs = "batch.image",
                              .encoder = Dense{.features = 128},
                              .decoder = Dense{.features = 28 * 28}};
  const Tensor images = at::ones({256, 28, 28, 1});
  const Tree variables = model.init({.rngs = random::key(0)}, images);
  const CallList calls;
  model.apply(variables, {}, images);
  EXPECT_EQ(
      summary_text(calls, variables["params"]),
      "path     module           inputs                outputs                        parameters   "
      " "
      "bytes\n"
      "-------  ---------------  --------------------  -----------------------------  ----------  "
      "-------\n"
      ".        FlatAutoencoder  float32[256 28 28 1]  {image: float32[256 28 28 1]}           0   "
      " "
      "    0\n"
      "encoder  Dense            float32[256 784]      float32[256 128]                  100,480  "
      "401,920\n"
      "decoder  Dense            float32[256 128]      float32[256 784]                  101,136  "
      "404,544\n"
      "total                                                                             201,616  "
      "806,464\n");
}

TEST(Summary, DepthKeepsTheSum) {
  const Vit model{.encoder = VitEncoder::from_spec({.num_heads = 4,
                                                    .hidden_size = 48,
                                                    .num_layers = 3,
                                                    .patch_size = 7,
                                                    .image = "batch.image"}),
                  .num_classes = 10,
                  .image = "batch.image"};
  const Tensor images = at::ones({2, 28, 28, 1});
  const With with{.rngs = random::key(0), .is_training_property = false};
  const Tree variables = model.init(with, images);
  CallList calls;
  model.apply(variables, with, images);
  // The parameters of all rows but the last add up to the last.
  auto parameters = [&](const SummaryOptions& options) {
    std::vector<std::int64_t> out;
    std::istringstream lines(summary_text(calls, variables["params"], options));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
      std::erase(all[all.size() - 2], ',');
      out.push_back(std::atoll(all[all.size() - 2].c_str()));
    }
    out.erase(out.begin(), out.begin() + 2);
    return out;
  };
  std::size_t rows = 0;
  for (int depth = 0; depth < 6; ++depth) {
    auto all = parameters({.depth = depth});
    EXPECT_EQ(all.back(), count(variables["params"]));
    EXPECT_EQ(std::accumulate(all.begin(), all.end() - 1, std::int64_t{0}), all.back());
    EXPECT_TRUE(depth == 5 || all.size() > rows);
    rows = all.size();
  }
  EXPECT_EQ(parameters({}).size(), rows);
  EXPECT_LE(parameters({.max_rows = 8}).size(), 9u);
  const std::string text = summary_text(calls, variables["params"]);
  EXPECT_THAT(text, HasSubstr("float32[2 28 28 1]"));
  EXPECT_THAT(text, HasSubstr("VitEncoder"));
  EXPECT_THAT([&] { summary_text(calls, Tree::dict(), {.depth = -1}); },
              ::testing::ThrowsMessage<konfig::Error>(HasSubstr("expected 0 or more, got -1")));
}

struct Twice : Module<Twice> {
  Poly<kd::Module> layer = Dense{.features = 3};
  Tensor call(const Tensor& x) const { return layer(layer(x)); }
};

TEST(Summary, SharedModulesCountOnce) {
  const Twice model;
  const Tree variables = model.init({.rngs = random::key(0)}, at::ones({2, 3}));
  CallList calls;
  model.apply(variables, {}, at::ones({2, 3}));
  const std::string text = summary_text(calls, variables["params"]);
  EXPECT_THAT(text, HasSubstr("Dense (2 calls)"));
  EXPECT_THAT(text, HasSubstr("          12     48\ntotal"));
}

TEST(Summary, OneCallOfDropoutIsOne) {
  const Dropout model{.rate = 0.5};
  CallList calls;
  model.apply(Tree::dict(), {.is_training_property = false}, at::ones({2, 3}));
  const std::string text = summary_text(calls, Tree::dict());
  EXPECT_THAT(text, HasSubstr("Dropout"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("calls")));
}

}  // namespace
}  // namespace kd::nn
