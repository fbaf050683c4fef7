#include "konfig/yaml.h"

#include <gtest/gtest.h>

#include <cmath>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/reference.h"

namespace konfig {
namespace {

TEST(Yaml, ReadsScalars) {
  Value v = parse_yaml(
      "int: 3\nneg: -4\nhex: 0x10\nfloat: 1.5\nexp: 1e-3\nyes: true\nnull1: null\nnull2: ~\n"
      "empty:\ntext: hello world\nquoted: \"12\"\nsingle: 'true'\ninf: .inf\nlist: [1, a]\n"
      "map: {x: 1}\n");
  const Dict& d = v.as<Dict>();
  EXPECT_EQ(to_json(d.at("int")), "3");
  EXPECT_EQ(to_json(d.at("neg")), "-4");
  EXPECT_EQ(to_json(d.at("hex")), "16");
  EXPECT_EQ(to_json(d.at("float")), "1.5");
  EXPECT_EQ(to_json(d.at("exp")), "0.001");
  EXPECT_EQ(to_json(d.at("yes")), "true");
  EXPECT_TRUE(d.at("null1").is_none());
  EXPECT_TRUE(d.at("null2").is_none());
  EXPECT_TRUE(d.at("empty").is_none());
  EXPECT_EQ(d.at("text"), Value("hello world"));
  EXPECT_TRUE(d.at("quoted").is<std::string>());
  EXPECT_TRUE(d.at("single").is<std::string>());
  EXPECT_TRUE(std::isinf(d.at("inf").as<double>()));
  EXPECT_EQ(to_json(d.at("list")), R"([1, "a"])");
  EXPECT_EQ(to_json(d.at("map")), R"({"x": 1})");
}

TEST(Yaml, NorwayIsNotFalse) {
  EXPECT_EQ(parse_yaml("no"), Value("no"));
  EXPECT_EQ(parse_yaml("on"), Value("on"));
}

TEST(Yaml, ReadsAConfigWrittenByHand) {
  ConfigDict cfg = config_from_yaml(
      "__qualname__: kauldron.kd:train.Thing\n"
      "seed: 42\n"
      "model:\n"
      "  __qualname__: flax.linen:Dense\n"
      "  features: 12\n"
      "losses:\n"
      "  - {__qualname__: 'm:L2', weight: 0.5}\n");
  EXPECT_EQ(to_json(cfg), R"({"__qualname__": "kauldron.kd:train.Thing", "seed": 42, "model": )"
                          R"({"__qualname__": "flax.linen:Dense", "features": 12}, "losses": )"
                          R"([{"__qualname__": "m:L2", "weight": 0.5}]})");
}

TEST(Yaml, AnchorsAreSharedNodes) {
  ConfigDict cfg = config_from_yaml("a: &n {x: 1}\nb: *n\nc: [*n]\n");
  EXPECT_TRUE(cfg.get("a").as<ConfigDict>().same(cfg.get("b").as<ConfigDict>()));
  EXPECT_TRUE(cfg["c"][0].get().as<ConfigDict>().same(cfg.get("a").as<ConfigDict>()));
  std::string yaml = to_yaml(cfg);
  EXPECT_NE(yaml.find('&'), std::string::npos) << yaml;
  EXPECT_NE(yaml.find('*'), std::string::npos) << yaml;
  EXPECT_EQ(yaml.find("__id__"), std::string::npos) << yaml;
  EXPECT_EQ(to_json(config_from_yaml(yaml)), to_json(cfg));
}

// Nine levels of nine aliases: 400 million values.
std::string nested_aliases(const std::string& open, const std::string& close) {
  std::string out = "a0: &a0 " + open + "x: 1" + close + "\n";
  for (int i = 1; i < 9; ++i) {
    out += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " " + open;
    for (int n = 0; n < 9; ++n) {
      out += (n > 0 ? ", " : "") + (open == "{" ? "k" + std::to_string(n) + ": " : std::string()) +
             "*a" + std::to_string(i - 1) + " ";
    }
    out += close + "\n";
  }
  return out;
}

TEST(Yaml, AliasesAreBounded) {
  expect_error(ErrorKind::value, {"repeat more than 1000000 values"},
               [] { parse_yaml(nested_aliases("[", "]")); });
  std::string texts = "a: &a " + std::string(1 << 20, 'x') + "\nb: [";
  for (int i = 0; i < 100; ++i) texts += "*a, ";
  expect_error(ErrorKind::value, {"YAML, line 2 column"}, [&] { parse_yaml(texts + "1]\n"); });
  EXPECT_EQ(parse_yaml("a: &a [1, 2]\nb: [*a, *a]\n").as<Dict>().at("b").as<List>().size(), 2u);
  // Maps are shared, however often they are named.
  ConfigDict shared = config_from_yaml(nested_aliases("{", "}"));
  EXPECT_TRUE(shared["a8"]["k0"]["k0"].as<ConfigDict>().same(shared["a6"].as<ConfigDict>()));
}

TEST(Yaml, TrickyTextsStayTexts) {
  List texts{"true",
             "null",
             "~",
             "",
             "1",
             "1.5",
             "1e3",
             "0x10",
             "0o7",
             ".inf",
             ".nan",
             "no",
             "a: b",
             "- x",
             "# c",
             "a #b",
             " a ",
             "a\nb",
             "\n",
             "'",
             "\"",
             "a\tb",
             "*a",
             "&a",
             "!a",
             "%a",
             "@a",
             "`a",
             "{a}",
             "[a",
             "a,b",
             "|",
             ">",
             "?",
             ":",
             "-",
             "---",
             "...",
             "<<",
             "=",
             "\u00e9",
             "\U0001F600",
             std::string("a\0b", 3),
             "\x7f",
             "\u0085",
             "\u2028",
             "1_000",
             "2024-01-01",
             "12:30:45",
             "NaN",
             "Infinity",
             "None",
             "__id__",
             std::string(300, 'x')};
  ConfigDict cfg{{"texts", texts}};
  std::string yaml = to_yaml(cfg);
  ConfigDict back = config_from_yaml(yaml);
  const List& got = back.get("texts").as<List>();
  ASSERT_EQ(got.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(got[i].is<std::string>()) << texts[i].repr() << " became " << got[i].repr();
    EXPECT_EQ(got[i].repr(), texts[i].repr());
  }
}

TEST(Yaml, TrickyKeysStayKeys) {
  ConfigDict cfg{{"true", 1}, {"1", 2},  {"null", 3}, {"a: b", 4}, {"", 5},
                 {"~", 6},    {"<<", 7}, {"- x", 8},  {"\n", 9}};
  cfg.set(7, "whole");
  cfg.set(1.5, "real");
  EXPECT_EQ(to_json(config_from_yaml(to_yaml(cfg))), to_json(cfg));
}

TEST(Yaml, NumbersKeepTheirKind) {
  ConfigDict cfg{
      {"i", 3},     {"f", 3.0},    {"z", -0.0},       {"big", BigInt{"99999999999999999999"}},
      {"e", 1e300}, {"t", 1e-5},   {"inf", HUGE_VAL}, {"nan", std::nan("")},
      {"b", true},  {"n", nullptr}};
  EXPECT_EQ(to_json(config_from_yaml(to_yaml(cfg))), to_json(cfg));
}

TEST(Yaml, EmptyContainers) {
  ConfigDict cfg{
      {"l", List{}}, {"d", ConfigDict{}}, {"t", Tuple{}}, {"ll", List{List{}, ConfigDict{}}}};
  EXPECT_EQ(to_json(config_from_yaml(to_yaml(cfg))), to_json(cfg));
  EXPECT_EQ(to_json(config_from_yaml(to_yaml(ConfigDict{}))), "{}");
}

TEST(Yaml, ReferencesAreWrittenAsValues) {
  ConfigDict cfg{{"a", 1}, {"n", ConfigDict{{"x", 2}}}};
  cfg["b"] = cfg.ref("a") + 1;
  cfg["m"] = cfg.ref("n");
  EXPECT_EQ(to_json(config_from_yaml(to_yaml(cfg))), to_json(cfg));
}

TEST(Yaml, ErrorsGiveTheLine) {
  expect_error(ErrorKind::value, {"line 2"}, [] { parse_yaml("a: 1\nb: ]\n"); });
  for (const char* open : {"'a\n", "\"a\n", "\"a\\\"\n", "'it''s\n\n", "!!str 'a\n"}) {
    expect_error(ErrorKind::value, {"YAML, line 2 column 4: a quoted text without an end"},
                 [&] { parse_yaml("a: 1\nb: " + std::string(open)); });
  }
  for (const char* whole :
       {"'a'", "\"...\"", "|+\n  '", "a'", "'' # '", ">-\n  \"a\n...", "'a'\n..."}) {
    EXPECT_NO_THROW(parse_yaml("a: 1\nb: " + std::string(whole))) << whole;
  }
  EXPECT_THROW(config_from_yaml("[1]"), Error);
  EXPECT_THROW(config_from_yaml("a: *nope"), Error);
  EXPECT_THROW(config_from_yaml(""), Error);
}

// `<<` gives what the map itself does not.
TEST(Yaml, KeysAreGivenOnce) {
  expect_error(ErrorKind::value, {"YAML, line 3 column 3: 'lr' is given twice"},
               [] { parse_yaml("args:\n  lr: 1\n  lr: 2\n"); });
  expect_error(ErrorKind::value, {"1 is given twice"}, [] { parse_yaml("{1: a, 1: b}"); });
  EXPECT_EQ(parse_yaml("a: &a {x: 1}\nb: {<<: *a, x: 2, y: {x: 1}}\n")
                .as<Dict>()
                .at("b")
                .as<Dict>()
                .at("x"),
            Value(2));
}

TEST(Yaml, OneDocumentOnly) { EXPECT_THROW(parse_yaml("a: 1\n---\nb: 2\n"), Error); }

TEST(Yaml, WhatHasNoJsonHasNoYaml) {
  EXPECT_THROW(to_yaml(ConfigDict{{"a", Set{1}}}), Error);
  EXPECT_THROW(to_yaml(ConfigDict{{"a", Bytes{"x"}}}), Error);
}

}  // namespace
}  // namespace konfig
