// Hostile texts: huge numbers, broken UTF-8, truncated documents, bombs.
#include <gtest/gtest.h>

#include <limits>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/literal.h"
#include "konfig/print.h"
#include "konfig/reference.h"
#include "konfig/yaml.h"

namespace konfig {
namespace {

// Reads the text in every way; only an Error may escape. What was read can be written.
void read_all(const std::string& text) {
  for (auto parse : {parse_json, parse_yaml, parse_literal, parse_py, parse_flag_value,
                     +[](std::string_view t) { return Value(config_from_json(t)); },
                     +[](std::string_view t) { return Value(config_from_yaml(t)); }}) {
    try {
      Value v = parse(text);
      (void)v.repr();
      repr(v);
      to_json(v);
      to_yaml(v);
    } catch (const Error&) {
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what() << " for " << text.substr(0, 60);
    }
  }
}

TEST(RobustText, HugeNumbers) {
  std::string many(100000, '9');
  for (const std::string& n :
       {many, "-" + many, "0." + many, many + ".5", "1e" + many, "1e-" + many,
        "0x" + std::string(100000, 'f'), "0b" + std::string(100000, '1'),
        "1" + std::string(400, '0'), std::string("1e999"), std::string("-1e999"),
        std::string("-0.0"), std::string("1e-999"), std::string("4.9e-324"),
        "0." + std::string(400, '0') + "1", std::string("-9223372036854775809"),
        std::string("99999999999999999999j")}) {
    read_all(n);
    read_all("[" + n + "]");
    read_all("{\"a\": " + n + "}");
  }
  EXPECT_EQ(to_json(parse_json("-0.0")), "-0.0");
  EXPECT_THROW(parse_json("1e999"), Error);
  EXPECT_EQ(to_json(parse_json("1e-999")), "0.0");
}

TEST(RobustText, NumbersBeyond64BitsInFields) {
  ConfigDict cfg{{"f", 1.0}, {"i", 1}};
  cfg["i"] = BigInt{"123456789012345678901234567890"};
  EXPECT_EQ(to_json(cfg.get("i")), "123456789012345678901234567890");
  cfg["f"] = BigInt{"123456789012345678901234567890"};
  EXPECT_EQ(to_json(cfg.get("f")), "1.2345678901234568e+29");
  EXPECT_THROW(cfg["f"] = BigInt{"1" + std::string(400, '0')}, Error);
  EXPECT_THROW((cfg.ref("i") + 1).get(), Error);
}

const std::vector<std::string>& broken_texts() {
  static const std::vector<std::string> texts = {"\xff",
                                                 "\x80",
                                                 "\xc0\xaf",
                                                 "\xc3",
                                                 "\xe2\x82",
                                                 "\xed\xa0\x80",
                                                 "\xf5\x80\x80\x80",
                                                 "\xf8\x88\x80\x80\x80",
                                                 "a\xffz",
                                                 "\xc3\x28",
                                                 "\xe2\x28\xa1",
                                                 "\xf0\x28\x8c\xbc",
                                                 "\xe0\x80\x80",
                                                 "\xf4\x90\x80\x80"};
  return texts;
}

TEST(RobustText, BrokenUtf8IsRefused) {
  for (const std::string& text : broken_texts()) {
    EXPECT_THROW(parse_json("\"" + text + "\""), Error);
    EXPECT_THROW(config_from_json("{\"" + text + "\": 1}"), Error);
    EXPECT_THROW(parse_yaml("\"" + text + "\""), Error);
    EXPECT_THROW(parse_yaml("a: " + text), Error);
    EXPECT_THROW(parse_py("'" + text + "'"), Error);
    EXPECT_THROW(parse_py("a.B(" + text + "=1)"), Error);
    EXPECT_THROW(parse_literal("'" + text + "'"), Error);
    read_all(text);
    read_all("{\"a\": \"" + text + "\"}");
  }
}

TEST(RobustText, BrokenUtf8InAConfig) {
  for (const std::string& text : broken_texts()) {
    ConfigDict cfg;
    try {
      cfg["a"] = text;
      cfg[text] = 1;
    } catch (const Error&) {
    }
    (void)repr(cfg);
    try {
      std::string json = to_json(cfg);
      EXPECT_EQ(to_json(config_from_json(json)), json);
    } catch (const Error&) {
    }
    try {
      std::string yaml = to_yaml(cfg);
      config_from_yaml(yaml);
    } catch (const Error&) {
    }
  }
}

TEST(RobustText, LoneSurrogates) {
  for (const char* text :
       {R"("\ud800")", R"("\udc00")", R"("\ud800x")", R"("\ud800\ud800")", R"("\ud83d\u0041")"}) {
    read_all(text);
  }
  read_all("'\\ud800'");
  read_all("'\\U00110000'");
  EXPECT_THROW(parse_literal("'\\U00110000'"), Error);
}

TEST(RobustText, NulBytes) {
  using std::string_literals::operator""s;
  for (const std::string& text : {"\0"s, "{\0}"s, "\"a\0b\""s, "'a\0b'"s, "a: b\0c"s, "[1,\0 2]"s,
                                  "{\"a\0\": 1}"s, "1\0"s, "a.B(\0)"s}) {
    read_all(text);
  }
  EXPECT_THROW(parse_json("1\0"s), Error);
  EXPECT_THROW(parse_literal("1\0"s), Error);
  EXPECT_THROW(parse_py("1\0"s), Error);
  ConfigDict cfg{{std::string_view("a\0b", 3), "c\0d"s}};
  std::string json = to_json(cfg);
  EXPECT_EQ(to_json(config_from_json(json)), json);
  EXPECT_EQ(to_json(config_from_yaml(to_yaml(cfg))), json);
}

const std::string kJson =
    R"({"__qualname__": "m:f", "0": [1, -2.5e-3, true, null, "t\u00e9\n"], "n": {"__id__": 0, "x": {}},)"
    R"( "m": {"__id__": 0}, "__raw__=3": NaN, "big": 123456789012345678901234567890})";

const std::string kYaml =
    "__qualname__: m:f\n'0': [1, -2.5e-3, true, null, \"t\\u00e9\\n\"]\nn: &a\n  x: {}\nm: *a\n"
    "text: |\n  two\n  lines\nlist:\n  - {a: 1}\n  - - 2\n    - 3\n# end\n";

const std::string kPy =
    "kd.data.Resize((1, 2,), [None, -3.5e2], {'a': x.y:Z, 1: 0x1F}, text='it\\'s \\u00e9', "
    "k=a.B(c=d.E))";

TEST(RobustText, TruncatedDocuments) {
  for (const std::string& document : {kJson, kYaml, kPy}) {
    for (std::size_t i = 0; i < document.size(); ++i) {
      read_all(document.substr(0, i));
      read_all(document.substr(i));
      std::string without = document;
      without.erase(i, 1);
      read_all(without);
    }
    read_all(document);
  }
  for (std::size_t i = 0; i < kJson.size(); ++i)
    EXPECT_THROW(parse_json(kJson.substr(0, i)), Error);
  for (std::size_t i = 0; i < kPy.size(); ++i) {
    if (i < 15) continue;  // "kd.data.Resize" is complete
    EXPECT_THROW(parse_py(kPy.substr(0, i)), Error) << kPy.substr(0, i);
  }
}

TEST(RobustText, ReplacedBytes) {
  for (const std::string& document : {kJson, kYaml, kPy}) {
    for (std::size_t i = 0; i < document.size(); ++i) {
      for (char c : {'\0', '\xff', '"', '\'', '\\', '{', '[', ')', ',', ':', '-', '9', ' ', '\n',
                     '&', '*'}) {
        std::string changed = document;
        changed[i] = c;
        read_all(changed);
      }
    }
  }
}

TEST(RobustText, IdsThatContainThemselves) {
  EXPECT_THROW(config_from_json(R"({"__id__": 0, "a": {"__id__": 0}})"), Error);
  EXPECT_THROW(config_from_json(R"({"a": {"__id__": 1, "b": [{"__id__": 1}]}})"), Error);
  for (const char* id :
       {"null", "-1", "1.5", "\"x\"", "[1]", "{}", "99999999999999999999", "true"}) {
    read_all(std::string(R"({"a": {"__id__": )") + id + R"(, "x": 1}, "b": {"__id__": )" + id +
             "}}");
  }
}

TEST(RobustText, OddRawKeys) {
  for (const char* key : {"__raw__=", "__raw__=x", "__raw__=[1]", "__raw__='a'", "__raw__=None",
                          "__raw__=1e999", "__raw__=__raw__=1", "__raw__=(1,)", "__raw__=1.5",
                          "__raw__=True", "__raw__= 1", "__raw__=99999999999999999999999"}) {
    std::string json = std::string("{\"") + key + "\": 1}";
    read_all(json);
    try {
      std::string once = to_json(config_from_json(json));
      EXPECT_EQ(to_json(config_from_json(once)), once) << key;
    } catch (const Error&) {
    }
  }
}

TEST(RobustText, KeysWithoutALiteral) {
  for (double key :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    try {
      ConfigDict cfg;
      cfg.set(key, 1);
      std::string json = to_json(cfg);
      EXPECT_EQ(to_json(config_from_json(json)), json);
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).find("literal"), std::string::npos) << e.what();
    }
  }
  read_all("1e999: 1\n");
}

TEST(RobustText, YamlBombs) {
  std::string lists = "a0: &a0 [x, x]\n", maps = "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 60; ++i) {
    std::string n = std::to_string(i), last = std::to_string(i - 1);
    lists += "a" + n + ": &a" + n + " [*a" + last + ", *a" + last + "]\n";
    maps += "a" + n + ": &a" + n + " {l: *a" + last + ", r: *a" + last + "}\n";
  }
  for (const std::string& text : {lists, maps}) {
    try {
      parse_yaml(text);
    } catch (const Error&) {
    }
    try {
      config_from_yaml(text);
    } catch (const Error&) {
    }
  }
  // A bounded one: ten levels of ten.
  std::string laughs = "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (char c = 'b'; c <= 'j'; ++c) {
    laughs += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) laughs += std::string(i ? ", *" : "*") + static_cast<char>(c - 1);
    laughs += "]\n";
  }
  try {
    parse_yaml(laughs);
  } catch (const Error&) {
  }
}

TEST(RobustText, YamlAnchorsInsideThemselves) {
  for (const char* text :
       {"a: &a [*a]", "&a {b: *a}", "a: &a {b: {c: *a}}", "&a [*a, *a]", "a: &a\n  - *a\n"}) {
    EXPECT_THROW(config_from_yaml(text), Error) << text;
    EXPECT_THROW(parse_yaml(text), Error) << text;
  }
}

TEST(RobustText, DuplicateKeys) {
  EXPECT_THROW(config_from_json(R"({"a": 1, "a": {"b": 2}})"), Error);
  EXPECT_THROW(config_from_yaml("a: 1\na: {b: 2}\n"), Error);
  read_all("a: 1\na: 2\n");
  read_all("{'a': 1, 'a': 2}");
}

TEST(RobustText, LongFlatDocuments) {
  std::string json = "[", yaml, py = "[";
  for (int i = 0; i < 100000; ++i) {
    json += i ? ", 1" : "1";
    yaml += "- 1\n";
    py += "1, ";
  }
  EXPECT_EQ(parse_json(json + "]").as<List>().size(), 100000U);
  EXPECT_EQ(parse_yaml(yaml).as<List>().size(), 100000U);
  EXPECT_EQ(parse_py(py + "]").as<List>().size(), 100000U);
  std::string text(10'000'000, 'x');  // NOLINT(bugprone-string-constructor): it is meant
  EXPECT_EQ(parse_json("\"" + text + "\"").as<std::string>().size(), text.size());
  EXPECT_EQ(parse_flag_value(text).as<std::string>().size(), text.size());
}

}  // namespace
}  // namespace konfig
