// Configs with NNX modules: read and written, never built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/konfig.h"

namespace kd::nn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Nnx, AConfigIsKeptAndSaysWhatToWriteInstead) {
  for (const char* name :
       {"kauldron.kd:contrib.nn.linen_from_nnx", "kauldron.contrib.modules:linen_from_nnx",
        "kauldron.contrib.modules.knnx_examples:SimpleKdNnxModule", "flax.nnx:Linear",
        "flax:nnx.Linear", "flax.nnx:bridge.ToLinen"}) {
    konfig::ConfigDict model = konfig::call(name, {{"rate", 0.5}, {"image", "batch.image"}});
    model["rate"] = 0.25;
    const konfig::ConfigDict cfg{{"model", model}};
    EXPECT_TRUE(konfig::config_from_json(konfig::to_json(cfg)) == cfg) << name;
    EXPECT_THAT(konfig::error_of([&] { konfig::resolve(konfig::Value(cfg)); }),
                AllOf(HasSubstr("cfg.model"), HasSubstr("NNX"), HasSubstr("C++ module"),
                      HasSubstr("docs/nn.md")))
        << name;
  }
}

}  // namespace
}  // namespace kd::nn
