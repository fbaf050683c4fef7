#include "konfig/literal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "konfig/expect_test.h"
#include "konfig/json.h"

namespace konfig {
namespace {

struct Case {
  std::string text;
  Value value;
};

void expect_reads(const std::vector<Case>& cases, Value (*parse)(std::string_view)) {
  for (const Case& c : cases) {
    try {
      Value got = parse(c.text);
      EXPECT_EQ(got.type_name(), c.value.type_name()) << c.text;
      EXPECT_EQ(got.repr(), c.value.repr()) << c.text;
    } catch (const Error& e) {
      ADD_FAILURE() << c.text << ": " << e.what();
    }
  }
}

TEST(Literal, ReadsPython) {
  expect_reads({{"1", 1},
                {" 1 ", 1},
                {"-1", -1},
                {"- 1", -1},
                {"+1", 1},
                {"0x1F", 31},
                {"0o17", 15},
                {"0b11", 3},
                {"1_000", 1000},
                {"00", 0},
                {"1.", 1.0},
                {".5", 0.5},
                {"1e3", 1000.0},
                {"1_0.5_0", 10.5},
                {"123456789012345678901234567890", BigInt{"123456789012345678901234567890"}},
                {"0xFFFFFFFFFFFFFFFFFF", BigInt{"4722366482869645213695"}},
                {"1e999", HUGE_VAL},
                {"True", true},
                {"None", nullptr},
                {"'a'", "a"},
                {"'a' \"b\"", "ab"},
                {"'''a\nb'''", "a\nb"},
                {"r'\\n'", "\\n"},
                {"u'x'", "x"},
                {R"('\x41\u00e9\U0001F600\101\\\'\n')", "A\u00e9\U0001F600A\\'\n"},
                {R"('\q')", "\\q"},
                {R"(b'\xff')", Bytes{"\xff"}},
                {"[]", List{}},
                {"[1, [2,],]", List{1, List{2}}},
                {"()", Tuple{}},
                {"(1)", 1},
                {"(1,)", Tuple{1}},
                {"1, 2", Tuple{1, 2}},
                {"1,", Tuple{1}},
                {"{}", Dict{}},
                {"{'a': 1, 2: (3,)}", Dict{{"a", 1}, {2, Tuple{3}}}},
                {"{'a': 1, 'a': 2}", Dict{{"a", 2}}},
                {"{1, 2}", Set{1, 2}},
                {"set()", Set{}},
                {"...", Ellipsis{}},
                {"2j", Complex{0, 2}}},
               parse_literal);
}

TEST(Literal, RefusesWhatIsNone) {
  for (const char* text :
       {"",         "  ",  "x",         "true",   "null",         "1 2",   "1 + 2",
        "[1",       "1]",  "(1, 2",     "'abc",   "01",           "1__0",  "_1",
        "1_",       "0x",  "f'x'",      "f()",    "a.b",          "{1: }", "{1, 2: 3}",
        "[,]",      "(,)", "lambda: 1", "-'a'",   "not 1",        "*[1]",  "'a' b'b'",
        "{[1]: 2}", "1e",  "0b2",       "'\\x4'", "1 if 2 else 3"}) {
    EXPECT_THROW(parse_literal(text), Error) << text;
  }
}

TEST(FlagValue, JsonThenLiteralThenText) {
  expect_reads({{"1", 1},
                {"-7", -7},
                {"true", true},
                {"True", true},
                {"None", nullptr},
                {"null", nullptr},
                {"'None'", "None"},
                {"\"None\"", "None"},
                {"0x10", 16},
                {"1_000", 1000},
                {" 7 ", 7},
                {"1e-3", 0.001},
                {".5", 0.5},
                {"NaN", std::nan("")},
                {"nan", "nan"},
                {"Inf", "Inf"},
                {"Infinity", HUGE_VAL},
                {"-inf", "-inf"},
                {"007", "007"},
                {"other", "other"},
                {"\"12\"", "12"},
                {"'12'", "12"},
                {"", ""},
                {"a,b", "a,b"},
                {"1,2", Tuple{1, 2}},
                {"[1", "[1"},
                {"{x}", "{x}"},
                {"a b", "a b"},
                {"a=b", "a=b"},
                {"it's", "it's"},
                {"\u00e9", "\u00e9"},
                {"\"\\u00e9\\n\"", "\u00e9\n"},
                {"[1,2]", List{1, 2}},
                {"(1,)", Tuple{1}},
                {"1+2", "1+2"},
                {"{'a': (1, None)}", Dict{{"a", Tuple{1, nullptr}}}},
                {R"({"null": null,"false": false,"1": 1})",
                 Dict{{"null", nullptr}, {"false", false}, {"1", 1}}},
                {"''", ""},
                {"'\"x\"'", "\"x\""},
                {"{1,2}", Set{1, 2}},
                {"/x/y", "/x/y"},
                {"py::nn.Dense(12)", "py::nn.Dense(12)"}},
               parse_flag_value);
}

TEST(Py, CallsAndConstants) {
  EXPECT_EQ(parse_py("xx.yy:aa.bb(value='aa:ff')"),
            Value(call("xx.yy:aa.bb", {{"value", "aa:ff"}})));
  EXPECT_EQ(parse_py("path.to.project.module.MyEnum.VALUE"),
            Value(constant("path.to.project.module.MyEnum:VALUE")));
  EXPECT_EQ(parse_py("kd.data.Xxx(x=1)"), Value(call("kauldron.kd:data.Xxx", {{"x", 1}})));
  EXPECT_EQ(to_json(parse_py("a.B(x=2, 1)")), R"({"__qualname__": "a:B", "x": 2, "0": 1})");
  EXPECT_EQ(to_json(parse_py("kd.data.Resize(size=(28, 28))")),
            R"({"__qualname__": "kauldron.kd:data.Resize", "size": [28, 28]})");
}

TEST(Py, KeepsNone) {
  EXPECT_EQ(parse_py("[None, 1]"), Value(List{nullptr, 1}));
  EXPECT_EQ(parse_py("(None, 1)"), Value(Tuple{nullptr, 1}));
}

TEST(Py, ErrorsShowTheExpression) {
  for (std::string text : {"Name", "", "a.B(", "a:b:c", "1 + 2", "a.B()()", "(1)", "f'x'"}) {
    expect_error(ErrorKind::value, {"py:: expression"}, [&] { parse_py(text); });
  }
}

}  // namespace
}  // namespace konfig
