#include "konfig/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "konfig/expect_test.h"
#include "konfig/reference.h"

namespace konfig {
namespace {

TEST(Json, ReadsEveryKind) {
  Value v = parse_json(R"( {"a": [1, -2.5, 1e3, true, false, null, "x"], "b": {}} )");
  const List& a = v.as<Dict>().at("a").as<List>();
  EXPECT_TRUE(a[0].is<std::int64_t>());
  EXPECT_TRUE(a[2].is<double>());
  EXPECT_TRUE(a[5].is_none());
  EXPECT_TRUE(v.as<Dict>().at("b").is<Dict>());
  EXPECT_TRUE(std::isnan(parse_json("NaN").as<double>()));
  EXPECT_TRUE(std::isinf(parse_json("-Infinity").as<double>()));
  EXPECT_THROW(parse_json("1e999"), Error);  // no double holds it; write Infinity
  EXPECT_EQ(to_json(parse_json("-0.0")), "-0.0");
  EXPECT_EQ(to_json(parse_json("-0")), "0");
  EXPECT_EQ(parse_json(R"("\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\")"),
            Value("\u00e9\U0001F600/\b\f\n\r\t\"\\"));
}

TEST(Json, KeepsBigNumbers) {
  std::string digits(300, '7');
  EXPECT_EQ(to_json(parse_json(digits)), digits);
  EXPECT_EQ(to_json(parse_json("-" + digits)), "-" + digits);
  EXPECT_TRUE(parse_json("9223372036854775807").is<std::int64_t>());
  EXPECT_TRUE(parse_json("-9223372036854775808").is<std::int64_t>());
  EXPECT_TRUE(parse_json("9223372036854775808").is<BigInt>());
}

TEST(Json, LastDuplicateWins) {
  EXPECT_EQ(to_json(parse_json(R"({"a": 1, "b": 2, "a": 3})")), R"({"a": 3, "b": 2})");
  expect_error(ErrorKind::value, {"JSON, line 2 column ", ": 'a' is given twice"},
               [] { config_from_json("{\"a\": 1, \"b\": {\"a\": 2},\n \"a\": 3}"); });
}

TEST(Json, RefusesWhatPythonRefuses) {
  for (const char* text :
       {"",     " ",       "{",     "}",         "[1,]",  "{\"a\":1,}", "{a: 1}",    "{'a': 1}",
        "01",   "1.",      ".5",    "+1",        "1e",    "tru",        "nan",       "Inf",
        "-Inf", "-NaN",    "[1 2]", "{\"a\" 1}", "\"abc", "\"\\x\"",    "\"\\u12\"", "\"a\nb\"",
        "1 2",  "// c\n1", "[1]]",  "--1",       "0x10",  "\"\t\""}) {
    EXPECT_THROW(parse_json(text), Error) << text;
  }
}

TEST(Json, ErrorsGiveLineAndColumn) {
  expect_error(ErrorKind::value, {"line 2", "column 8"}, [] { parse_json("{\n  \"a\": x\n}"); });
  expect_error(ErrorKind::value, {"line 1"}, [] { config_from_json("{\"a\": 1"); });
}

TEST(Json, ConfigIsAnObject) {
  EXPECT_THROW(config_from_json("[1]"), Error);
  EXPECT_THROW(config_from_json("3"), Error);
}

TEST(Json, WritesFloatsLikePython) {
  auto text = [](double d) { return to_json(Value(d)); };
  EXPECT_EQ(text(1), "1.0");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(1e15), "1000000000000000.0");
  EXPECT_EQ(text(1e16), "1e+16");
  EXPECT_EQ(text(123456789012345680.0), "1.2345678901234568e+17");
  EXPECT_EQ(text(1e22), "1e+22");
  EXPECT_EQ(text(0.0001), "0.0001");
  EXPECT_EQ(text(0.00001), "1e-05");
  EXPECT_EQ(text(1.5e-7), "1.5e-07");
  EXPECT_EQ(text(5e-324), "5e-324");
  EXPECT_EQ(text(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(text(1e100), "1e+100");
  EXPECT_EQ(text(-2.5), "-2.5");
  EXPECT_EQ(text(HUGE_VAL), "Infinity");
  EXPECT_EQ(text(std::nan("")), "NaN");
}

TEST(Json, EscapesLikePython) {
  EXPECT_EQ(to_json(Value("a/\"\\\b\f\n\r\t\x01\x7f")), R"("a/\"\\\b\f\n\r\t\u0001\u007f")");
  EXPECT_EQ(to_json(Value("\u00e9\u2028\U0001F600")), R"("\u00e9\u2028\ud83d\ude00")");
  EXPECT_EQ(to_json(Value(std::string("a\0b", 3))), R"("a\u0000b")");
}

TEST(Json, Layouts) {
  Value v = Dict{{"b", List{1, List{}, Dict{}}}, {"a", nullptr}};
  EXPECT_EQ(to_json(v), R"({"b": [1, [], {}], "a": null})");
  EXPECT_EQ(to_json(v, {.indent = 2}),
            "{\n  \"b\": [\n    1,\n    [],\n    {}\n  ],\n  \"a\": null\n}");
  EXPECT_EQ(to_json(v, {.indent = 0}), "{\n\"b\": [\n1,\n[],\n{}\n],\n\"a\": null\n}");
  EXPECT_EQ(to_json(v, {.sort_keys = true}), R"({"a": null, "b": [1, [], {}]})");
  EXPECT_EQ(to_json(v, {.item_separator = ",", .key_separator = ":"}),
            R"({"b":[1,[],{}],"a":null})");
}

TEST(Json, WhatHasNoJsonIsAnError) {
  for (const Value& v : {Value(Bytes{"x"}), Value(Set{1}), Value(Ellipsis{}), Value(Slice{})}) {
    expect_error(ErrorKind::type, {}, [&] { to_json(ConfigDict{{"a", v}}); });
  }
  EXPECT_EQ(to_json(ConfigDict{{"a", std::filesystem::path("/x/y")}}), R"({"a": "/x/y"})");
}

TEST(Json, SharedNodes) {
  ConfigDict m = call("m:Model", {1}), m2 = call("m:Model", {2});
  ConfigDict cfg{{"model", m}, {"elems", List{m, m, m2, m2, call("m:Model", {2})}}};
  std::string json = to_json(cfg);
  EXPECT_EQ(json, R"({"model": {"__qualname__": "m:Model", "0": 1, "__id__": 0}, "elems": [)"
                  R"({"__qualname__": "m:Model", "0": 1, "__id__": 0}, )"
                  R"({"__qualname__": "m:Model", "0": 1, "__id__": 0}, )"
                  R"({"__qualname__": "m:Model", "0": 2, "__id__": 1}, )"
                  R"({"__qualname__": "m:Model", "0": 2, "__id__": 1}, )"
                  R"({"__qualname__": "m:Model", "0": 2}]})");
  ConfigDict back = config_from_json(json);
  EXPECT_EQ(to_json(back), json);
  auto node = [&](int i) { return back["elems"][i].get().as<ConfigDict>(); };
  EXPECT_TRUE(node(0).same(back.get("model").as<ConfigDict>()));
  EXPECT_TRUE(node(0).same(node(1)));
  EXPECT_TRUE(node(2).same(node(3)));
  EXPECT_FALSE(node(3).same(node(4)));
}

TEST(Json, AReferencedNodeIsShared) {
  ConfigDict cfg{{"a", ConfigDict{{"x", 1}}}};
  cfg["b"] = cfg.ref("a");
  EXPECT_EQ(to_json(cfg), R"({"a": {"x": 1, "__id__": 0}, "b": {"x": 1, "__id__": 0}})");
}

TEST(Json, OneReferencedListIsWrittenTwice) {
  ConfigDict cfg{{"a", List{1}}};
  cfg["b"] = cfg.ref("a");
  EXPECT_EQ(to_json(cfg), R"({"a": [1], "b": [1]})");
}

TEST(Json, ReadingManyKeysIsFast) {
  std::string text = "{";
  for (int i = 0; i < 100000; ++i) {
    text += (i ? ", \"k" : "\"k") + std::to_string(i) + "\": {\"x\": [" + std::to_string(i) + "]}";
  }
  text += "}";
  EXPECT_EQ(to_json(config_from_json(text)), text);
}

}  // namespace
}  // namespace konfig
