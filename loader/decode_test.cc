#include "loader/decode_impl.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/json.h"

namespace loader {
namespace {

using namespace konfig;

ConfigDict decode(std::string_view text) { return decode_config(parse_json(text)); }
Value value(std::string_view text) { return decode_value(parse_json(text)); }

TEST(Decode, Values) {
  EXPECT_EQ(value(R"({"__tuple__": [1, {"__tuple__": []}]})"), Value(Tuple{1, Tuple{}}));
  EXPECT_EQ(value(R"({"__set__": [1, 2]})"), Value(Set{1, 2}));
  EXPECT_TRUE(value(R"({"__frozenset__": [1]})").as<Set>().frozen);
  EXPECT_EQ(value("{\"__bytes__\": \"a\\u00ff\\u0080\\u0000\"}"),
            Value(Bytes{std::string("a\xff\x80\0", 4)}));
  EXPECT_EQ(value(R"({"__ellipsis__": true})"), Value(Ellipsis()));
  EXPECT_EQ(value(R"({"__slice__": [null, 3, -1]})"), Value(Slice{{}, 3, -1}));
  EXPECT_EQ(value(R"({"__path__": "/a/b"})"), Value(std::filesystem::path("/a/b")));
  EXPECT_EQ(value("[1, 2.5, null, true, \"x\"]"), Value(List{1, 2.5, nullptr, true, "x"}));
  EXPECT_EQ(value("{}").as<ConfigDict>().size(), 0u);
  EXPECT_EQ(value(R"({"__const__": "m:f"})").as<ConfigDict>().qualname(), "m:f");
  auto pairs = value(R"({"__dict__": [["__tuple__", 1], ["__raw__=2", 3]]})").as<ConfigDict>();
  EXPECT_EQ(pairs.get("__tuple__"), Value(1));
  EXPECT_EQ(pairs.get(2), Value(3));
}

TEST(Decode, SharedNodes) {
  auto cfg = decode(R"({"a": {"x": 1, "__id__": 0}, "b": [{"x": 1, "__id__": 0}]})");
  EXPECT_TRUE(cfg["a"].get().as<ConfigDict>().same(cfg["b"][0].get().as<ConfigDict>()));
  EXPECT_FALSE(cfg["a"].get().as<ConfigDict>().contains("__id__"));
}

TEST(Decode, Paths) {
  auto cfg = decode(R"({"a": {"b": [1, {"__tuple__": [5, 6]}]},
                        "c": {"__ref__": ["path", "a", "b", 1, -1]},
                        "n": {"__qualname__": "m:f", "0": 7},
                        "d": {"__ref__": ["path", "n", 0]}})");
  EXPECT_EQ(cfg["c"].get(), Value(6));
  EXPECT_EQ(cfg["d"].get(), Value(7));
  cfg["n"][0] = 8;
  EXPECT_EQ(cfg["d"].get(), Value(8));
  auto copy = cfg.copy();
  copy["n"][0] = 9;
  EXPECT_EQ(cfg["d"].get(), Value(8));
  EXPECT_EQ(copy["d"].get(), Value(9));
}

TEST(Decode, NodesNamedBeforeTheyAreWritten) {
  auto cfg = decode(R"({"w": {"__ref__": ["node", 4, "x"]}, "m": {"x": 1, "__id__": 4}})");
  EXPECT_EQ(cfg["w"].get(), Value(1));
  cfg["m"]["x"] = 2;
  EXPECT_EQ(cfg["w"].get(), Value(2));
  auto root = decode(R"({"x": 3, "w": {"__ref__": ["node", 0, "x"]}, "__id__": 0})");
  EXPECT_EQ(root["w"].get(), Value(3));
}

TEST(Decode, Operators) {
  auto cfg = decode(R"({"x": 7, "s": "ab", "l": [3, 4], "i": 1, "none": null,
    "sub": {"__ref__": ["op", "-", 10, ["path", "x"]]},
    "fl": {"__ref__": ["op", "//", ["path", "x"], 2]},
    "mod": {"__ref__": ["op", "%", 10, ["path", "x"]]},
    "cmp": {"__ref__": ["op", ">=", ["path", "x"], 7]},
    "neg": {"__ref__": ["unary", "-", ["path", "x"]]},
    "str": {"__ref__": ["unary", "str", ["path", "x"]]},
    "up": {"__ref__": ["method", ["path", "s"], "upper"]},
    "join": {"__ref__": ["method", "-", "join", ["method", ["path", "s"], "split", "a"]]},
    "cat": {"__ref__": ["op", "+", ["path", "l"], ["const", [5]]]},
    "at": {"__ref__": ["item", ["path", "l"], ["path", "i"]]},
    "lazy": {"__ref__": ["op?", "+", ["path", "none"], 1]},
    "lazy1": {"__ref__": ["unary?", "abs", ["path", "none"]]},
    "const": {"__ref__": ["op", "*", 2, 3]},
    "tuple": {"__ref__": {"__tuple__": [1]}}})");
  EXPECT_EQ(cfg["sub"].get(), Value(3));
  EXPECT_EQ(cfg["fl"].get(), Value(3));
  EXPECT_EQ(cfg["mod"].get(), Value(3));
  EXPECT_EQ(cfg["cmp"].get(), Value(true));
  EXPECT_EQ(cfg["neg"].get(), Value(-7));
  EXPECT_EQ(cfg["str"].get(), Value("7"));
  EXPECT_EQ(cfg["up"].get(), Value("AB"));
  EXPECT_EQ(cfg["join"].get(), Value("-b"));
  EXPECT_EQ(cfg["cat"].get(), Value(List{3, 4, 5}));
  EXPECT_EQ(cfg["at"].get(), Value(4));
  EXPECT_EQ(cfg["lazy"].get(), Value());
  EXPECT_EQ(cfg["lazy1"].get(), Value());
  EXPECT_EQ(cfg["const"].get(), Value(6));
  EXPECT_EQ(cfg["tuple"].get(), Value(Tuple{1}));
  cfg["x"] = 9;
  cfg["i"] = 0;
  cfg["none"] = 4;
  EXPECT_EQ(cfg["sub"].get(), Value(1));
  EXPECT_EQ(cfg["mod"].get(), Value(1));
  EXPECT_EQ(cfg["at"].get(), Value(3));
  EXPECT_EQ(cfg["lazy"].get(), Value(5));
  EXPECT_EQ(cfg["lazy1"].get(), Value(4));
}

TEST(Decode, Cells) {
  auto cfg = decode(R"({
    "early": {"__ref__": ["cell", 1]},
    "a": {"__placeholder__": {"type": "int", "required": false, "default": 3, "cell": 1}},
    "b": {"__placeholder__": {"type": "int", "required": false, "default": 3, "cell": 1}},
    "sum": {"__ref__": ["op?", "+", ["cell", 1], 1]},
    "req": {"__placeholder__": {"type": "str", "required": true, "default": null}},
    "opt": {"__placeholder__": {"type": "float", "required": false, "default": null}},
    "via": {"__placeholder__": {"type": "int", "required": false,
                                "default": {"__ref__": ["path", "a"]}}}})");
  EXPECT_EQ(cfg["early"].get(), Value(3));
  cfg["a"] = 5;
  EXPECT_EQ(cfg["b"].get(), Value(5));
  EXPECT_EQ(cfg["early"].get(), Value(5));
  EXPECT_EQ(cfg["sum"].get(), Value(6));
  EXPECT_EQ(cfg["via"].get(), Value(5));
  cfg["early"] = 1;
  EXPECT_EQ(cfg["a"].get(), Value(5)) << "it follows, and never writes";
  expect_error(ErrorKind::required, {}, [&] { cfg["req"].get(); });
  expect_error(ErrorKind::type, {}, [&] { cfg["a"] = "text"; });
  EXPECT_EQ(cfg["opt"].get(), Value());
  cfg["opt"] = 1;
  EXPECT_EQ(cfg["opt"].get().type_name(), "float");
}

TEST(Decode, ValuesOfFunctionsMayBeReplacedByAnything) {
  auto cfg = decode(R"({"x": {"__ref__": ["value", [1, 2]]}, "y": {"__ref__": ["value", null]}})");
  EXPECT_EQ(konfig::to_json(cfg), R"({"x": [1, 2], "y": null})");
  cfg["x"] = "text";
  EXPECT_EQ(cfg["x"].get(), Value("text"));
}

TEST(Decode, Errors) {
  auto cfg = decode(R"({"x": {"__ref__": ["error", "KeyError: 'y'"]}})");
  expect_error(ErrorKind::key, {"KeyError: 'y'"}, [&] { cfg["x"].get(); });
  cfg = decode(R"({"x": {"__ref__": ["error", "OSError: gone"]}})");
  expect_error(ErrorKind::value, {"OSError: gone"}, [&] { cfg["x"].get(); });
  for (auto* text :
       {R"(["not", "a", "node"])", R"({"x": {"__ref__": ["what"]}})",
        R"({"x": {"__ref__": ["node", 3]}})", R"({"x": {"__ref__": ["cell", 3]}})",
        R"({"x": {"__ref__": ["op", "@", ["path"], 1]}})", R"({"x": {"__ref__": ["op", "+"]}})",
        R"({"x": {"__placeholder__": {}}})", R"({"x": {"__slice__": [1]}})"}) {
    SCOPED_TRACE(text);
    expect_error(ErrorKind::value, {"cannot read"}, [&] { decode(text); });
  }
  Value deep = 1;
  for (int i = 0; i < 1500; ++i) deep = List{deep};
  expect_error(ErrorKind::value, {"nested too deeply"}, [&] { decode_value(deep); });
}

TEST(Decode, EncodedAgain) {
  const Value v = Dict{{"t", Tuple{1, List{Tuple{}}}}, {"s", Set{1}}};
  EXPECT_EQ(to_json(encode_value(v)),
            R"({"t": {"__tuple__": [1, [{"__tuple__": []}]]}, "s": {"__set__": [1]}})");
}

}  // namespace
}  // namespace loader
