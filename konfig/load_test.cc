#include "konfig/load.h"

#include <gtest/gtest.h>

#include <array>

#include "konfig/expect_test.h"
#include "konfig/toy_test.h"

namespace toy {
namespace {

enum class Axis { all, batch };

TEST(Load, NumbersAreChecked) {
  expect_error(ErrorKind::value, {"expected a whole number from -128 to 127, got 300"},
               [] { load<std::int8_t>(300); });
  expect_error(ErrorKind::value, {"from 0 to 255, got -1"}, [] { load<std::uint8_t>(-1); });
  expect_error(ErrorKind::value, {"from -9223372036854775808 to 9223372036854775807"},
               [] { load<std::int64_t>(BigInt{"18446744073709551615"}); });
  EXPECT_EQ(load<std::uint64_t>(BigInt{"18446744073709551615"}), ~std::uint64_t{0});
  expect_error(ErrorKind::value, {"from 0 to 18446744073709551615"},
               [] { load<std::uint64_t>(BigInt{"18446744073709551616"}); });
  expect_error(ErrorKind::type, {"expected a whole number, got 3.0"}, [] { load<int>(3.0); });
  expect_error(ErrorKind::type, {"expected a whole number, got True"}, [] { load<int>(true); });
  expect_error(ErrorKind::type, {"expected True or False, got 1"}, [] { load<bool>(1); });
  expect_error(ErrorKind::value, {"within the range of float"}, [] { load<float>(1e60); });
  EXPECT_EQ(load<double>(3), 3.0);
  EXPECT_EQ(load<double>(BigInt{"100000000000000000000"}), 1e20);
}

TEST(Load, TextAndEnums) {
  expect_error(ErrorKind::type, {"expected text, got 12"}, [] { load<std::string>(12); });
  expect_error(ErrorKind::value, {"expected one of all, batch, got \"bach\"", "'batch'"},
               [] { load<Axis>("bach"); });
  expect_error(ErrorKind::type, {"expected one of all, batch, got 1"}, [] { load<Axis>(1); });
  EXPECT_EQ(load<Axis>("batch"), Axis::batch);
}

TEST(Load, ContainersNameThePlace) {
  expect_error_at(ErrorKind::type, "cfg[1]: expected a whole number, got \"x\"", [] {
    load<std::vector<int>>(List{1, "x"});
  });
  expect_error(ErrorKind::type, {"expected a list of 2, got a tuple of 3"}, [] {
    load<std::array<int, 2>>(Tuple{1, 2, 3});
  });
  expect_error(ErrorKind::type, {"expected a tuple of 2, got a list of 1"},
               [] { load<std::pair<int, int>>(List{1}); });
  expect_error_at(ErrorKind::type, "cfg.a[0]: expected a number", [] {
    load<Map<std::vector<double>>>(Dict{{"a", List{"x"}}});
  });
  expect_error(ErrorKind::type, {"expected text as key, got 1"}, [] {
    load<Map<int>>(Dict{{1, 2}});
  });
  expect_error(ErrorKind::type, {"expected a whole number or None, got \"x\""},
               [] { load<std::optional<int>>("x"); });
}

TEST(Load, NoneIsAnEmptyMap) {
  EXPECT_TRUE(load<Map<int>>(Value()).empty());
  // Where the root has a map, too, None would be either.
  expect_error(ErrorKind::type, {"expected a dict, got None"},
               [] { load<Inherit<Map<int>, "root_map">>(Value()); });
}

TEST(Load, PlainNodesServeForDicts) {
  EXPECT_EQ(load<Map<int>>(ConfigDict{{"a", 1}}).at("a"), 1);
  expect_error(ErrorKind::type, {"expected a dict, got a config of toy:adam"},
               [] { load<Map<int>>(call("toy:adam")); });
}

TEST(Load, Arguments) {
  auto fill = [](Arguments arguments) {
    Tfds out;
    load_arguments(type_of<Tfds>(), &out, arguments);
    return out;
  };
  auto ds = fill({.positional = {"mnist", "test"}, .keyword = {{"batch_size", 3}}});
  EXPECT_EQ(*ds.name, "mnist");
  EXPECT_EQ(ds.split, "test");
  EXPECT_EQ(ds.batch_size, 3);
  expect_error_at(ErrorKind::type, "cfg.name: missing: toy::Tfds requires text",
                  [&] { fill({.positional = {}, .keyword = {}}); });
  expect_error_at(ErrorKind::type, "cfg.name: given twice", [&] {
    fill({.positional = {"a"}, .keyword = {{"name", "b"}}});
  });
  expect_error_at(ErrorKind::type, "cfg.batch_siz: toy::Tfds has no such field; did you mean", [&] {
    fill({.positional = {"a"}, .keyword = {{"batch_siz", 1}}});
  });
  expect_error_at(ErrorKind::type, "cfg[6]: toy::Tfds takes at most 6 positional arguments, got 7",
                  [&] {
                    fill({.positional = {"a", "b", true, 1, 2, List{}, 3}, .keyword = {}});
                  });
  expect_error_at(ErrorKind::type, "cfg.split: expected text, got 2", [&] {
    fill({.positional = {"a", 2}, .keyword = {}});
  });
}

TEST(Load, AStructGivenAsADictKeepsWhatIsNotMentioned) {
  Cosine c{.init_value = 4, .decay_steps = 9};
  load(type_of<Cosine>(), &c, Dict{{"peak_value", 2}});
  EXPECT_EQ(c.init_value, 4);
  EXPECT_EQ(c.peak_value, 2);
  EXPECT_EQ(c.decay_steps, 9);
}

}  // namespace
}  // namespace toy
