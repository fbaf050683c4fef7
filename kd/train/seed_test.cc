// The blocks of "Train, eval, randomness" about random streams.
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/nn/engine/nn.h"
#include "kd/train/trainer.h"
#include "konfig/konfig.h"

namespace {

using namespace kd;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names(const train::Rngs& rngs) {
  std::vector<std::string> out;
  for (auto& [name, key] : rngs) out.push_back(name);
  return out;
}

TEST(Seeds, DefaultStreams) {
  train::RngStreams streams{.seed = 42};
  EXPECT_THAT(names(init_rngs(streams)), ElementsAre("default", "dropout", "params"));
  EXPECT_THAT(names(train_rngs(streams, 0)), ElementsAre("default", "dropout"));
  EXPECT_THAT(names(eval_rngs(streams, 0)), IsEmpty());
}

TEST(Seeds, CustomStreams) {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.rng_streams = train::RngStreams{.stream_overwrites = {
                                          // `dropout` only in evaluation
                                          {.name = "dropout", .train = false, .eval = true},
                                          // a stream of one's own, in training by default
                                          {.name = "my_custom_stream"},
                                      }};
  auto trainer = konfig::resolve<train::Trainer>(konfig::lower(cfg));
  const train::RngStreams& streams = trainer->rng_streams;
  EXPECT_EQ(streams.seed, 42);  // the trainer's
  EXPECT_THAT(names(init_rngs(streams)),
              ElementsAre("default", "dropout", "my_custom_stream", "params"));
  EXPECT_THAT(names(train_rngs(streams, 0)), ElementsAre("default", "my_custom_stream"));
  EXPECT_THAT(names(eval_rngs(streams, 0)), ElementsAre("dropout"));
}

// params = model.init(rng_streams.init_rngs(), ...), and the forward of a step.
TEST(Seeds, StreamsOfAStep) {
  train::RngStreams streams{.seed = 42};
  nn::Sequential model{.layers = {nn::Dense{.features = 64}, nn::Dropout{.rate = 0.5}}};
  Tensor batch = at::ones({2, 3});
  Tree params = model.init({.rngs = init_rngs(streams), .is_training_property = true}, batch);
  auto forward = [&](int step) -> Tensor {
    return model
        .apply(params, {.rngs = train_rngs(streams, step), .is_training_property = true}, batch)
        .out;
  };
  EXPECT_TRUE(at::equal(forward(3), forward(3)));
  EXPECT_FALSE(at::equal(forward(3), forward(4)));
}

}  // namespace
