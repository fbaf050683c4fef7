#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/config_registry.h"
#include "konfig/expect_test.h"
#include "konfig/sweep.h"
#include "loader/fixture_test.h"

namespace builtin_test {

struct Args {
  int x = 1;
};
static konfig::ConfigDict get_config(const Args& args) { return {{"x", args.x}}; }
static konfig::SweepItems sweep() { return {{{"x", 2}}}; }

}  // namespace builtin_test

KONFIG_CONFIG("builtin_test", builtin_test::get_config);

namespace loader {
namespace {

using konfig::ErrorKind;
using konfig::expect_error;
using konfig::Value;

class Builtin : public FileTest {};

TEST_F(Builtin, ByName) {
  EXPECT_THAT(names(), testing::IsSupersetOf({"builtin_test", "mnist_autoencoder"}));
  EXPECT_EQ(load({.source = "builtin_test"})["x"].get(), Value(1));
  EXPECT_EQ(load({.source = "builtin_test", .config_args = {{"x", 5}}})["x"].get(), Value(5));
  EXPECT_EQ(load({.source = "mnist_autoencoder"}).qualname(), "kauldron.kd:train.Trainer");
  EXPECT_TRUE(load_sweeps({.source = "mnist_autoencoder"}).empty());
  konfig::register_sweep("builtin_test", "sweep", &builtin_test::sweep);
  EXPECT_EQ(load_sweeps({.source = "builtin_test"})["sweep"].items.at(0).at("x"), Value(2));
}

TEST_F(Builtin, Errors) {
  expect_error(ErrorKind::key,
               {"'mnist_autoencodr': no config of this name; did you mean 'mnist_autoencoder'?"},
               [] { load({.source = "mnist_autoencodr"}); });
  expect_error(ErrorKind::key, {"no config of this name"}, [] { load_sweeps({.source = "zzz"}); });
  expect_error(ErrorKind::value, {"no config given"}, [] { load({.source = ""}); });
  expect_error(ErrorKind::value, {"a/b.txt: a config is a .cc, .py, .json or .yaml file"},
               [] { load({.source = "a/b.txt"}); });
}

}  // namespace
}  // namespace loader
