#include "konfig/reference.h"

#include <gtest/gtest.h>

#include <limits>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/print.h"

namespace konfig {
namespace {

// The value of `left op right`, computed through a reference.
Value compute(Op op, const Value& left, const Value& right) {
  ConfigDict cfg;
  cfg.set("left", left);
  return binary(op, cfg.ref("left"), right).get();
}

// Same type and same value.
void expect_same(const Value& got, const Value& expected) {
  EXPECT_EQ(got.type_name(), expected.type_name()) << got.repr() << " vs " << expected.repr();
  EXPECT_EQ(got.repr(), expected.repr());
}

Value make_name(std::span<const Value> args) { return "run_" + to_json(args[0]); }

TEST(Reference, ExamplesOfTheHeader) {
  ConfigDict cfg{{"num_train_steps", 1000}, {"seed", 3}};
  cfg["warmup"] = cfg.ref("num_train_steps") / 10;
  cfg["name"] = ref_fn(make_name, {cfg.ref("seed")});
  EXPECT_EQ(cfg.get("warmup"), Value(100.0));
  EXPECT_EQ(cfg.get("name"), Value("run_3"));
  cfg["num_train_steps"] = 50;
  cfg["seed"] = 4;
  EXPECT_EQ(cfg.get("warmup"), Value(5.0));
  EXPECT_EQ(cfg.get("name"), Value("run_4"));
}

TEST(Reference, FollowsChanges) {
  ConfigDict cfg{{"a", 10}, {"schedules", ConfigDict{{"learning_rate", 0.001}}}};
  cfg["g"] = cfg.ref("a") + 15 > 20;
  EXPECT_EQ(cfg.get("g"), Value(true));
  cfg["a"] = 0;
  EXPECT_EQ(cfg.get("g"), Value(false));
  cfg["lr"] = cfg.ref("schedules")["learning_rate"];
  EXPECT_EQ(cfg.get("lr"), Value(0.001));
  cfg["schedules"]["learning_rate"] = 10.0;
  EXPECT_EQ(cfg.get("lr"), Value(10.0));
  cfg["schedules"] = Dict{{"learning_rate", 5.0}};
  EXPECT_EQ(cfg.get("lr"), Value(5.0));
}

TEST(Reference, IsOneWay) {
  ConfigDict cfg{{"a", 1}};
  cfg["b"] = cfg.ref("a");
  cfg["b"] = 5;
  EXPECT_EQ(cfg.get("a"), Value(1));
  cfg["a"] = 2;
  EXPECT_EQ(cfg.get("b"), Value(5));
}

TEST(Reference, FromAnItem) {
  ConfigDict cfg{{"a", ConfigDict{{"l", List{1, 2}}}}};
  cfg["x"] = cfg["a"]["l"][1].ref() * 10;
  EXPECT_EQ(cfg.get("x"), Value(20));
  cfg["a"]["l"][1] = 3;
  EXPECT_EQ(cfg.get("x"), Value(30));
}

TEST(Reference, OperatorsOnBothSides) {
  ConfigDict cfg{{"a", 7}};
  Reference a = cfg.ref("a");
  EXPECT_EQ((a + 1).get(), Value(8));
  EXPECT_EQ((1 + a).get(), Value(8));
  EXPECT_EQ((a - 1).get(), Value(6));
  EXPECT_EQ((1 - a).get(), Value(-6));
  EXPECT_EQ((a * a).get(), Value(49));
  EXPECT_EQ((a / 2).get(), Value(3.5));
  EXPECT_EQ((14 / a).get(), Value(2.0));
  EXPECT_EQ(floordiv(a, 2).get(), Value(3));
  EXPECT_EQ(floordiv(20, a).get(), Value(2));
  EXPECT_EQ((a % 4).get(), Value(3));
  EXPECT_EQ(pow(a, 2).get(), Value(49));
  EXPECT_EQ((a & 3).get(), Value(3));
  EXPECT_EQ((a | 8).get(), Value(15));
  EXPECT_EQ((a ^ 1).get(), Value(6));
  EXPECT_EQ((-a).get(), Value(-7));
  EXPECT_EQ(abs(-a).get(), Value(7));
  EXPECT_EQ((a == 7).get(), Value(true));
  EXPECT_EQ((a != a).get(), Value(false));
  EXPECT_EQ((8 > a).get(), Value(true));
  EXPECT_EQ((a <= 7).get(), Value(true));
  EXPECT_EQ((a + "x").try_get(), std::nullopt);
}

TEST(Reference, StandsOnTheLeftOfSomeOperators) {
  ConfigDict cfg{{"a", 7}};
  for (Op op : {Op::mod, Op::pow, Op::bit_and, Op::bit_or, Op::bit_xor}) {
    expect_error(ErrorKind::type, {"cfg.ref.a", to_string(op)},
                 [&] { binary(op, 9, cfg.ref("a")); });
    EXPECT_NO_THROW(binary(op, cfg.ref("a"), cfg.ref("a")).get());
  }
}

TEST(Reference, DivisionLikePython) {
  expect_same(compute(Op::floordiv, -7, 2), -4);
  expect_same(compute(Op::floordiv, 7, -2), -4);
  expect_same(compute(Op::mod, -7, 3), 2);
  expect_same(compute(Op::mod, 7, -3), -2);
  expect_same(compute(Op::mod, 6, -3), 0);
  expect_same(compute(Op::floordiv, 7.5, 2), 3.0);
  expect_same(compute(Op::floordiv, -7.5, 2), -4.0);
  expect_same(compute(Op::mod, -7.5, 2), 0.5);
  expect_same(compute(Op::mod, 5.5, -2), -0.5);
  expect_same(compute(Op::mod, -4.0, 2), 0.0);
  expect_same(compute(Op::mod, 4.0, -2), -0.0);
  expect_same(compute(Op::floordiv, 1.0, 0.1), 9.0);
  expect_same(compute(Op::mod, 1.0, 0.1), 0.09999999999999995);
  expect_same(compute(Op::div, 1, 3), 1.0 / 3);
  expect_same(compute(Op::div, true, 2), 0.5);
  expect_same(compute(Op::floordiv, 1e300, 1e-10), std::numeric_limits<double>::infinity());
}

TEST(Reference, PowersLikePython) {
  expect_same(compute(Op::pow, 2, 10), 1024);
  expect_same(compute(Op::pow, -2, 3), -8);
  expect_same(compute(Op::pow, 2, -1), 0.5);
  expect_same(compute(Op::pow, 0, 0), 1);
  expect_same(compute(Op::pow, 2.0, 3), 8.0);
  expect_same(compute(Op::pow, -1, 1000000001), -1);
  expect_same(compute(Op::pow, 1, std::numeric_limits<std::int64_t>::max()), 1);
  expect_same(compute(Op::pow, -2, 63), std::numeric_limits<std::int64_t>::min());
  expect_error(ErrorKind::arithmetic, {}, [] { compute(Op::pow, 0, -1); });
  expect_error(ErrorKind::arithmetic, {}, [] { compute(Op::pow, 2, 63); });
  expect_error(ErrorKind::arithmetic, {}, [] { compute(Op::pow, 10, 400); });
}

TEST(Reference, BoolsAreNumbers) {
  expect_same(compute(Op::add, true, true), 2);
  expect_same(compute(Op::mul, true, 3), 3);
  expect_same(compute(Op::bit_and, true, false), false);
  expect_same(compute(Op::bit_or, true, 2), 3);
  expect_same(compute(Op::bit_xor, true, true), false);
  expect_same(compute(Op::lt, false, 1), true);
}

TEST(Reference, TextAndSequences) {
  expect_same(compute(Op::add, "a", "b"), "ab");
  expect_same(compute(Op::mul, "ab", 2), "abab");
  expect_same(compute(Op::mul, 2, "ab"), "abab");
  expect_same(compute(Op::mul, "ab", -1), "");
  expect_same(compute(Op::mul, List{1}, 3), List{1, 1, 1});
  expect_same(compute(Op::add, List{1}, List{2}), List{1, 2});
  expect_same(compute(Op::add, Tuple{1}, Tuple{2}), Tuple{1, 2});
  expect_same(compute(Op::lt, "abc", "abd"), true);
  expect_same(compute(Op::lt, List{1, 2}, List{1, 3}), true);
  expect_same(compute(Op::mod, "n=%d, %s", Tuple{3, "x"}), "n=3, x");
  expect_same(compute(Op::mod, "%.3f%%", 0.5), "0.500%");
  expect_error(ErrorKind::type, {}, [] { compute(Op::add, List{1}, Tuple{2}); });
  expect_error(ErrorKind::type, {"int", "str"}, [] { compute(Op::add, 1, "x"); });
  expect_error(ErrorKind::type, {}, [] { compute(Op::lt, 1, "x"); });
  expect_error(ErrorKind::type, {}, [] { compute(Op::add, nullptr, 1); });
}

TEST(Reference, NumbersBeyond64BitsAreErrors) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  expect_error(ErrorKind::arithmetic, {}, [] { compute(Op::add, kMax, 1); });
  expect_error(ErrorKind::arithmetic, {}, [] { compute(Op::sub, kMin, 1); });
  expect_error(ErrorKind::arithmetic, {}, [] { compute(Op::mul, kMax, 2); });
  expect_error(ErrorKind::arithmetic, {}, [] { compute(Op::floordiv, kMin, -1); });
  expect_same(compute(Op::mod, kMin, -1), 0);
  ConfigDict cfg{{"min", kMin}};
  expect_error(ErrorKind::arithmetic, {}, [&] { (-cfg.ref("min")).get(); });
  expect_error(ErrorKind::arithmetic, {}, [&] { abs(cfg.ref("min")).get(); });
  for (Op op : {Op::div, Op::floordiv, Op::mod}) {
    expect_error(ErrorKind::arithmetic, {"zero"}, [&] { compute(op, 1, 0); });
    expect_error(ErrorKind::arithmetic, {"zero"}, [&] { compute(op, 1.5, 0.0); });
  }
}

TEST(Reference, ComparesNumbersExactly) {
  expect_same(compute(Op::eq, std::int64_t{9007199254740993}, 9007199254740992.0), false);
  expect_same(compute(Op::gt, std::int64_t{9007199254740993}, 9007199254740992.0), true);
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (Op op : {Op::eq, Op::lt, Op::le, Op::gt, Op::ge}) expect_same(compute(op, nan, 1), false);
  expect_same(compute(Op::ne, nan, nan), true);
}

TEST(Reference, Methods) {
  ConfigDict cfg{{"t", " Hello World "}, {"l", List{3, 1, 3}}, {"parts", List{"a", "b"}}};
  Reference t = cfg.ref("t");
  expect_same(t.method("upper").get(), " HELLO WORLD ");
  expect_same(t.method("lower").get(), " hello world ");
  expect_same(t.method("strip").get(), "Hello World");
  expect_same(t.method("strip").method("split").get(), List{"Hello", "World"});
  expect_same(t.method("replace", {"o", "0"}).get(), " Hell0 W0rld ");
  expect_same(t.method("startswith", {" H"}).get(), true);
  expect_same(t.method("endswith", {"x"}).get(), false);
  expect_same(cfg.ref("l").method("index", {1}).get(), 1);
  expect_same(cfg.ref("l").method("count", {3}).get(), 2);
  cfg["sep"] = "/";
  expect_same(cfg.ref("sep").method("join", {cfg.ref("parts")}).get(), "a/b");
  cfg["pattern"] = "{}-{}";
  expect_same(cfg.ref("pattern").method("format", {1, "x"}).get(), "1-x");
  EXPECT_THROW(t.method("no_such_method").get(), Error);
  expect_error(ErrorKind::value, {}, [&] { cfg.ref("l").method("index", {9}).get(); });
}

TEST(Reference, Conversions) {
  ConfigDict cfg{{"f", 2.75}, {"t", " 12 "}, {"neg", -2.75}, {"inf", 1e300}};
  expect_same(cfg.ref("f").to_int().get(), 2);
  expect_same(cfg.ref("neg").to_int().get(), -2);
  expect_same(cfg.ref("t").to_int().get(), 12);
  expect_same(cfg.ref("t").to_float().get(), 12.0);
  expect_same(cfg.ref("f").to_str().get(), "2.75");
  expect_error(ErrorKind::arithmetic, {}, [&] { cfg.ref("inf").to_int().get(); });
}

TEST(Reference, IsNoCondition) {
  ConfigDict cfg{{"a", ConfigDict{{"b", 1}}}};
  expect_error(ErrorKind::truth, {"cfg.ref.a.b"}, [&] {
    if (cfg.ref("a")["b"]) FAIL();
  });
  expect_error(ErrorKind::truth, {}, [&] {
    if (cfg.ref("a")["b"] == 1) FAIL();
  });
}

TEST(Reference, DescribesItself) {
  ConfigDict cfg{{"a", ConfigDict{{"b", 3}}}};
  EXPECT_EQ(cfg.ref("a")["b"].path(), "cfg.ref.a.b");
  EXPECT_EQ(cfg.ref("a")["b"].repr(), "FieldReference(3)");
  EXPECT_EQ(cfg.ref("nope").repr(), "FieldReference(<Unresolved>)");
  EXPECT_EQ(cfg.ref("nope").try_get(), std::nullopt);
  EXPECT_EQ(to_string(Op::floordiv), "//");
}

TEST(Reference, CyclesNameTheWholeChain) {
  ConfigDict cfg{{"a", 1}, {"b", 2}, {"c", 3}};
  cfg["a"] = cfg.ref("b");
  cfg["b"] = cfg.ref("c") + 1;
  cfg["c"] = cfg.ref("a");
  for (auto f : {+[](const ConfigDict& c) { c.get("a"); }, +[](const ConfigDict& c) { to_json(c); },
                 +[](const ConfigDict& c) { repr(c); }}) {
    expect_error(ErrorKind::cycle, {"a", "b", "c"}, [&] { f(cfg); });
  }
  cfg["c"] = 5;
  EXPECT_EQ(cfg.get("a"), Value(6));
}

TEST(Reference, ErrorOfADanglingOneNamesBothEnds) {
  ConfigDict cfg;
  cfg["a"] = cfg.ref("later")["x"];
  expect_error(ErrorKind::key, {"later"}, [&] { cfg.get("a"); });
  cfg["later"] = Dict{{"x", 5}};
  EXPECT_EQ(cfg.get("a"), Value(5));
}

TEST(Reference, AllFollowADeepCopy) {
  ConfigDict cfg{{"a", 1}, {"b", 100}};
  cfg["sum"] = cfg.ref("a") + cfg.ref("b");
  cfg["fn"] = ref_fn(make_name, {cfg.ref("a")});
  cfg["list"] = List{cfg.ref("a"), Tuple{cfg.ref("b")}};
  cfg["join"] = cfg.ref("a").to_str().method("replace", {cfg.ref("a").to_str(), "x"});
  ConfigDict copy = cfg.copy();
  copy["a"] = 5;
  copy["b"] = 7;
  EXPECT_EQ(copy.get("sum"), Value(12));
  EXPECT_EQ(copy.get("fn"), Value("run_5"));
  EXPECT_EQ(to_json(copy.get("list")), "[5, [7]]");
  EXPECT_EQ(copy.get("join"), Value("x"));
  EXPECT_EQ(cfg.get("sum"), Value(101));
  EXPECT_EQ(to_json(cfg.get("list")), "[1, [100]]");
}

TEST(Reference, OfACopiedPartFollowsTheRest) {
  ConfigDict cfg{{"n", 1}, {"sub", ConfigDict{}}};
  cfg["sub"]["m"] = cfg.ref("n");
  ConfigDict part = cfg.get("sub").as<ConfigDict>().copy();
  cfg["n"] = 2;
  EXPECT_EQ(part.get("m"), Value(2));
}

TEST(Reference, TwoWayCells) {
  ConfigDict cfg{{"a", 1}};
  cfg["b"] = cfg.get_ref("a");
  cfg["b"] = 2;
  EXPECT_EQ(cfg.get("a"), Value(2));
  cfg["a"] = 3;
  EXPECT_EQ(cfg.get("b"), Value(3));
  expect_error(ErrorKind::type, {"b"}, [&] { cfg["b"] = "text"; });
  ConfigDict copy = cfg.copy();
  copy["a"] = 9;
  EXPECT_EQ(copy.get("b"), Value(9));
  EXPECT_EQ(cfg.get("b"), Value(3));
}

TEST(Reference, Placeholders) {
  ConfigDict cfg{{"steps", placeholder(CellType::integer)},
                 {"dir", placeholder(CellType::text, {.required = true})},
                 {"size", placeholder(CellType::number, {.initial = 4})}};
  EXPECT_TRUE(cfg.get("steps").is_none());
  expect_error(ErrorKind::required, {"dir"}, [&] { cfg.get("dir"); });
  expect_error(ErrorKind::required, {"dir"}, [&] { to_json(cfg); });
  expect_error(ErrorKind::type, {"steps"}, [&] { cfg["steps"] = 1.5; });
  cfg["steps"] = 3;
  cfg["dir"] = "/x";
  EXPECT_EQ(to_json(cfg), R"({"steps": 3, "dir": "/x", "size": 4.0})");
}

TEST(Reference, OnePlaceholderInTwoFieldsIsOneCell) {
  Reference cell = placeholder(CellType::integer);
  ConfigDict cfg{{"a", cell}, {"b", cell}};
  cfg["a"] = 4;
  EXPECT_EQ(cfg.get("b"), Value(4));
}

TEST(Reference, RefCopy) {
  ConfigDict cfg{{"src", ConfigDict{{"name", "mnist"}, {"split", "train"}}},
                 {"shuffle", true},
                 {"batch", 32},
                 {"version", "1.0.0"}};
  ConfigDict test = ref_copy(cfg);
  test["src"]["split"] = "test";
  test["shuffle"] = false;
  cfg["version"] = "2.0.0";
  cfg["batch"] = 128;
  cfg["shuffle"] = true;
  cfg["new"] = 1;
  cfg["src"] = Dict{{"name", "imagenet"}};
  EXPECT_EQ(to_json(test), R"({"src": {"name": "mnist", "split": "test"}, "shuffle": false, )"
                           R"("batch": 128, "version": "2.0.0"})");
}

}  // namespace
}  // namespace konfig
