#include "konfig/print.h"

#include <gtest/gtest.h>

#include <cmath>

#include "konfig/reference.h"
#include "konfig/scalar_text.h"

namespace konfig {
namespace {

TEST(Print, Frames) {
  ConfigDict cfg = call("optax:adam", {{"learning_rate", 0.003}});
  EXPECT_EQ(to_text(cfg), "optax.adam(learning_rate=0.003)");
  EXPECT_EQ(repr(cfg), "<ConfigDict[optax.adam(learning_rate=0.003)]>");
  EXPECT_EQ(repr(constant("numpy:int32")), "<ConfigDict[np.int32]>");
  EXPECT_EQ(repr(ConfigDict{}), "<ConfigDict[{}]>");
}

TEST(Print, OneLineUpToTwentyCharacters) {
  // 'a': '12345' and 'b': '6' have 20 characters together.
  EXPECT_EQ(to_text(ConfigDict{{"a", "12345"}, {"b", "6"}}), "{'a': '12345', 'b': '6'}");
  EXPECT_EQ(to_text(ConfigDict{{"a", "12345"}, {"b", "67"}}),
            "{\n    'a': '12345',\n    'b': '67',\n}");
  EXPECT_EQ(to_text(ConfigDict{{"only_one_part", std::string(50, 'x')}}),
            "{'only_one_part': '" + std::string(50, 'x') + "'}");
}

TEST(Print, NestedBlocksAreIndented) {
  ConfigDict cfg{{"outer", call("m:f", {{"first_argument", 1}, {"second_argument", List{1, 2}}})}};
  EXPECT_EQ(to_text(cfg),
            "{\n"
            "    'outer': m.f(\n"
            "        first_argument=1,\n"
            "        second_argument=[1, 2],\n"
            "    ),\n"
            "}");
}

TEST(Print, WidthCountsCharactersNotBytes) {
  // Ten letters of two bytes each: 'a': 'éééééééé' is 15 characters.
  EXPECT_EQ(to_text(ConfigDict{{"a", "\u00e9\u00e9\u00e9\u00e9"}, {"b", 1}}),
            "{'a': '\u00e9\u00e9\u00e9\u00e9', 'b': 1}");
}

TEST(Print, PositionalBeforeKeywords) {
  ConfigDict cfg(Dict{{"__qualname__", "m:f"}, {"x", 1}, {"1", 5}, {"0", 4}});
  EXPECT_EQ(to_text(cfg), "m.f(4, 5, x=1)");
}

TEST(Print, SharedPartsHaveAnchors) {
  ConfigDict cfg{{"a0", "abc"}, {"c0", ConfigDict{{"a", 123}}}};
  cfg["a1"] = cfg.get_ref("a0");
  cfg["c1"] = cfg.get_ref("c0");
  cfg["cycle"] = cfg;
  EXPECT_EQ(repr(cfg),
            "<ConfigDict[&id003 {\n"
            "    'a0': &id001 'abc',\n"
            "    'c0': &id002 {'a': 123},\n"
            "    'a1': *id001,\n"
            "    'c1': *id002,\n"
            "    'cycle': *id003,\n"
            "}]>");
  cfg.erase("cycle");  // the cycle would never be freed
}

TEST(Print, OneWayReferencesToScalarsHaveNone) {
  ConfigDict cfg{{"a", 1}, {"n", ConfigDict{{"x", 1}}}};
  cfg["b"] = cfg.ref("a");
  cfg["m"] = cfg.ref("n");
  EXPECT_EQ(to_text(cfg),
            "{\n    'a': 1,\n    'n': &id001 {'x': 1},\n    'b': 1,\n    'm': *id001,\n}");
}

TEST(Print, Texts) {
  EXPECT_EQ(repr_text("plain"), "'plain'");
  EXPECT_EQ(repr_text("it's"), "\"it's\"");
  EXPECT_EQ(repr_text("say \"x\""), "'say \"x\"'");
  EXPECT_EQ(repr_text("it's \"x\""), "'it\\'s \"x\"'");
  EXPECT_EQ(repr_text("a\\b\n\r\t"), "'a\\\\b\\n\\r\\t'");
  EXPECT_EQ(repr_text(std::string("\0\x01\x1f\x7f", 4)), "'\\x00\\x01\\x1f\\x7f'");
  EXPECT_EQ(repr_text("\u00e9 \u4e2d \U0001F600"), "'\u00e9 \u4e2d \U0001F600'");
  EXPECT_EQ(repr_text("\u0085\u00a0\u00ad"), "'\\x85\\xa0\\xad'");
  EXPECT_EQ(repr_text("\u2028\u200b\ufeff"), "'\\u2028\\u200b\\ufeff'");
  EXPECT_EQ(repr_text("\U000E0001"), "'\\U000e0001'");
}

TEST(Print, Floats) {
  EXPECT_EQ(repr_float(1), "1.0");
  EXPECT_EQ(repr_float(-0.0), "-0.0");
  EXPECT_EQ(repr_float(1e16), "1e+16");
  EXPECT_EQ(repr_float(9999999999999998), "9999999999999998.0");
  EXPECT_EQ(repr_float(0.0001), "0.0001");
  EXPECT_EQ(repr_float(0.00001234), "1.234e-05");
  EXPECT_EQ(repr_float(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(repr_float(HUGE_VAL), "inf");
  EXPECT_EQ(repr_float(std::nan("")), "nan");
}

TEST(Print, Shortens) {
  EXPECT_EQ(shorten("short", 40), "short");
  std::string text = shorten(std::string(30, 'a') + std::string(30, 'b'), 43);
  EXPECT_LE(text.size(), 46U);
  EXPECT_TRUE(text.starts_with("aaaa"));
  EXPECT_TRUE(text.ends_with("bbbb"));
  EXPECT_NE(text.find("..."), std::string::npos);
}

TEST(Print, ShorteningKeepsCharactersWhole) {
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\u00e9";
  for (std::size_t most = 5; most < 60; ++most) {
    std::string text = shorten(accents, most);
    EXPECT_EQ(repr_text(text).find("\\x"), std::string::npos) << most;
  }
}

TEST(Print, IsDeterministic) {
  ConfigDict cfg{{"s", Set{3, 1, 2}}, {"d", ConfigDict{{"z", 1}, {"a", 2}}}};
  EXPECT_EQ(repr(cfg), repr(cfg));
  EXPECT_EQ(repr(cfg), repr(cfg.copy()));
}

}  // namespace
}  // namespace konfig
