#include "cli/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(Session, TakesTheConfigOutOfTheArguments) {
  std::vector<std::string> args = {"config", "show", "--cfg=mnist_autoencoder", "--cfg.seed=1"};
  Session session(args);
  EXPECT_THAT(session.args(), ::testing::ElementsAre("config", "show"));
  EXPECT_EQ(session.config()["seed"].as<std::int64_t>(), 1);
}

}  // namespace
}  // namespace cli
