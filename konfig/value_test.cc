#include "konfig/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "konfig/expect_test.h"
#include "konfig/reference.h"

namespace konfig {
namespace {

TEST(Value, HoldsWhatItIsMadeFrom) {
  Value v = 3;
  EXPECT_TRUE(v.is<std::int64_t>());
  EXPECT_EQ(v.as<std::int64_t>(), 3);
  Value t = Tuple{1, "two"};
  EXPECT_EQ(t.as<Tuple>()[1], Value("two"));

  EXPECT_TRUE(Value().is_none());
  EXPECT_TRUE(Value(nullptr).is_none());
  EXPECT_TRUE(Value(std::nullopt).is_none());
  EXPECT_TRUE(Value(true).is<bool>());
  EXPECT_TRUE(Value(1.5F).is<double>());
  EXPECT_TRUE(Value(1.5).is<double>());
  EXPECT_TRUE(Value("text").is<std::string>());
  EXPECT_TRUE(Value(std::string("text")).is<std::string>());
  EXPECT_TRUE(Value(std::string_view("text")).is<std::string>());
  EXPECT_TRUE(Value(List{1}).is<List>());
  EXPECT_TRUE(Value(Dict{{"a", 1}}).is<Dict>());
  EXPECT_TRUE(Value(std::filesystem::path("/x")).is<std::filesystem::path>());
  EXPECT_TRUE(Value(ConfigDict{{"a", 1}}).is<ConfigDict>());
}

TEST(Value, TakesEveryIntegerType) {
  std::int64_t lvalue = -5;
  const std::int64_t constant = -6;
  EXPECT_EQ(Value(lvalue).as<std::int64_t>(), -5);
  EXPECT_EQ(Value(constant).as<std::int64_t>(), -6);
  EXPECT_EQ(Value(std::int8_t{-7}).as<std::int64_t>(), -7);
  EXPECT_EQ(Value(std::uint32_t{7}).as<std::int64_t>(), 7);
  EXPECT_EQ(Value(std::size_t{7}).as<std::int64_t>(), 7);
  EXPECT_EQ(Value(7LL).as<std::int64_t>(), 7);
  EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).as<BigInt>().digits,
            "18446744073709551615");
}

TEST(Value, WrongAlternativeIsAnError) {
  expect_error(ErrorKind::type, {"int", "str"}, [] { Value("x").as<std::int64_t>(); });
  expect_error(ErrorKind::type, {"str", "NoneType"}, [] { Value().as<std::string>(); });
  EXPECT_EQ(Value(1).get_if<double>(), nullptr);
}

TEST(Value, ComparesLikePython) {
  EXPECT_EQ(Value(1), Value(1.0));
  EXPECT_EQ(Value(1), Value(true));
  EXPECT_EQ(Value(0.0), Value(false));
  EXPECT_FALSE(Value(1) == Value("1"));
  EXPECT_FALSE(Value(0) == Value());
  EXPECT_FALSE(Value(std::nan("")) == Value(std::nan("")));
  EXPECT_EQ(Value(0.0), Value(-0.0));
  EXPECT_FALSE(Value(List{1}) == Value(Tuple{1}));
  EXPECT_EQ(Value(List{1, List{2}}), Value(List{1.0, List{true * 2}}));
  EXPECT_EQ(Value(Set{1, 2}), Value(Set{2, 1}));
  EXPECT_EQ(Value(Dict{{"a", 1}, {"b", 2}}), Value(Dict{{"b", 2}, {"a", 1}}));
  EXPECT_FALSE(Value(Dict{{"a", 1}}) == Value(Dict{{"a", 2}}));
  // Exact, although the double nearest to the left side is the right one.
  EXPECT_FALSE(Value(std::int64_t{9007199254740993}) == Value(9007199254740992.0));
}

TEST(Value, PlainMapIsNoConfig) {
  EXPECT_FALSE(Value(Dict{{"a", 1}}) == Value(ConfigDict{{"a", 1}}));
}

TEST(Value, NamesTypesLikePython) {
  EXPECT_EQ(Value().type_name(), "NoneType");
  EXPECT_EQ(Value(true).type_name(), "bool");
  EXPECT_EQ(Value(1).type_name(), "int");
  EXPECT_EQ(Value(BigInt{"99999999999999999999"}).type_name(), "int");
  EXPECT_EQ(Value(1.5).type_name(), "float");
  EXPECT_EQ(Value("").type_name(), "str");
  EXPECT_EQ(Value(List{}).type_name(), "list");
  EXPECT_EQ(Value(Tuple{}).type_name(), "tuple");
  EXPECT_EQ(Value(Dict{}).type_name(), "dict");
  EXPECT_EQ(Value(ConfigDict{}).type_name(), "ConfigDict");
  EXPECT_EQ(Value(Bytes{"x"}).type_name(), "bytes");
  EXPECT_EQ(Value(Set{}).type_name(), "set");
}

TEST(Value, PrintsLikePython) {
  EXPECT_EQ(Value().repr(), "None");
  EXPECT_EQ(Value(true).repr(), "True");
  EXPECT_EQ(Value(-3).repr(), "-3");
  EXPECT_EQ(Value(1.0).repr(), "1.0");
  EXPECT_EQ(Value("it's").repr(), "\"it's\"");
  EXPECT_EQ(Value(List{1, "a", Tuple{1, 2}}).repr(), "[1, 'a', (1, 2)]");
  EXPECT_EQ(Value(Bytes{std::string("a\0\xff", 3)}).repr(), "b'a\\x00\\xff'");
  EXPECT_EQ(Value(Slice{.start = 1, .stop = {}, .step = 2}).repr(), "slice(1, None, 2)");
}

TEST(Sequence, IsAHandle) {
  List a{1, 2};
  List b = a;
  b.push_back(3);
  EXPECT_EQ(a.size(), 3U);
  a.set(0, "x");
  EXPECT_EQ(b[0], Value("x"));
  EXPECT_EQ(a.identity(), b.identity());
  EXPECT_NE(a.identity(), (List{1, 2}).identity());
}

TEST(Sequence, EmptyHandlesDoNotShare) {
  List a, b;
  a.push_back(1);
  EXPECT_TRUE(b.empty());
}

TEST(Sequence, SetDropsRepeats) {
  Set s{3, 1, 3, 1.0, true};
  EXPECT_EQ(s.size(), 2U);
  EXPECT_EQ(s[0], Value(3));
  EXPECT_FALSE(s.frozen);
  EXPECT_TRUE(Set(std::vector<Value>{1}, true).frozen);
}

TEST(Dict, KeepsOrderAndPlace) {
  Dict d{{"b", 1}, {"a", 2}};
  d.set("c", 3);
  d.set("b", 9);
  std::string keys;
  for (const auto& [k, v] : d) keys += k.as<std::string>();
  EXPECT_EQ(keys, "bac");
  EXPECT_EQ(d.at("b"), Value(9));
  EXPECT_EQ(d.find("nope"), nullptr);
  expect_error(ErrorKind::key, {"nope"}, [&] { d.at("nope"); });
}

TEST(Dict, TellsNumbersFromTexts) {
  Dict d{{0, "number"}, {"0", "text"}};
  EXPECT_EQ(d.size(), 2U);
  EXPECT_EQ(d.at(0), Value("number"));
  EXPECT_EQ(d.at("0"), Value("text"));
}

TEST(Dict, StaysFastWithManyKeys) {
  Dict d;
  for (int i = 0; i < 50000; ++i) d.set("key_" + std::to_string(i), i);
  EXPECT_EQ(d.at("key_49999"), Value(49999));
}

}  // namespace
}  // namespace konfig
