// Every field type, both ways: typed value -> config -> JSON text -> typed value.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/toy_test.h"

namespace field_types {

using namespace konfig;
using namespace std::chrono_literals;

enum class Axis { all, batch, channels = 40 };

struct Inner {
  int x = 1;
  std::string y = "y";
};
struct Outer {
  Inner inner = {.x = 5, .y = "outer"};
};
double twice(double x) { return 2 * x; }
int other_signature(int x) { return x; }

struct Numbers {
  bool b = false;
  std::int8_t i8 = 0;
  std::uint8_t u8 = 0;
  std::int16_t i16 = 0;
  std::uint16_t u16 = 0;
  int i = 0;
  unsigned u = 0;
  std::int64_t i64 = 0;
  std::uint64_t u64 = 0;
  long long ll = 0;
  float f = 0;
  double d = 0;
  long double ld = 0;
};

struct Everything {
  std::string text;
  toy::Key key = {};
  std::filesystem::path path;
  Axis axis = Axis::all;
  std::optional<int> maybe;
  std::optional<Inner> maybe_inner;
  std::vector<int> list = {1, 2};
  std::vector<bool> bits;
  std::vector<Inner> inners;
  std::array<int, 2> array = {};
  Map<double> map;
  std::map<std::string, int> sorted;
  std::tuple<int, std::string, double> tuple;
  std::pair<int, Inner> pair;
  std::variant<std::monostate, bool, int, double, std::string, std::vector<int>> either;
  std::chrono::seconds seconds{};
  std::chrono::duration<double> real_seconds{};
  std::chrono::milliseconds millis{};
  Inner inner = {};
  Poly<toy::Optimizer> optimizer;
  Callable<double(double)> call = {};
  Value any;
  ConfigDict dict;
  Required<int> required;
};

}  // namespace field_types

KONFIG_REGISTER(field_types::Numbers, "field_types:Numbers");
KONFIG_REGISTER(field_types::Everything, "field_types:Everything");
KONFIG_REGISTER(field_types::Outer);
KONFIG_CALLABLE("field_types:twice", field_types::twice);
KONFIG_CALLABLE("field_types:other", field_types::other_signature);

namespace field_types {
namespace {

template <class T>
T round_trip(const T& value) {
  auto text = to_json(lower(value));
  auto back = *resolve<T>(config_from_json(text));
  EXPECT_EQ(to_json(lower(back)), text);
  return back;
}

TEST(FieldTypes, NumbersKeepTheirLimits) {
  Numbers low{.b = true,
              .i8 = -128,
              .u8 = 255,
              .i16 = -32768,
              .u16 = 65535,
              .i = std::numeric_limits<int>::min(),
              .u = std::numeric_limits<unsigned>::max(),
              .i64 = std::numeric_limits<std::int64_t>::min(),
              .u64 = std::numeric_limits<std::uint64_t>::max(),
              .ll = -1,
              .f = 0.1f,
              .d = 1e-300,
              .ld = 0.5L};
  auto back = round_trip(low);
  EXPECT_TRUE(back.b);
  EXPECT_EQ(back.i8, -128);
  EXPECT_EQ(back.u8, 255);
  EXPECT_EQ(back.i16, -32768);
  EXPECT_EQ(back.u16, 65535);
  EXPECT_EQ(back.i, std::numeric_limits<int>::min());
  EXPECT_EQ(back.u, std::numeric_limits<unsigned>::max());
  EXPECT_EQ(back.i64, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(back.u64, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(back.ll, -1);
  EXPECT_EQ(back.f, 0.1f);
  EXPECT_EQ(back.d, 1e-300);
  EXPECT_EQ(back.ld, 0.5L);
  EXPECT_EQ(lower(low)["f"].get(), Value(0.1));  // not 0.10000000149011612
}

TEST(FieldTypes, SpecialNumbers) {
  auto back = round_trip(Numbers{.f = std::numeric_limits<float>::infinity(), .d = -0.0});
  EXPECT_TRUE(std::isinf(back.f));
  EXPECT_TRUE(std::signbit(back.d));
  EXPECT_TRUE(std::isnan(round_trip(Numbers{.d = std::nan("")}).d));
}

TEST(FieldTypes, Everything) {
  Everything e;
  e.text = "a \"quoted\" text";
  e.key = "batch.image";
  e.path = "/tmp/x";
  e.axis = Axis::channels;
  e.maybe = 3;
  e.maybe_inner = Inner{.x = 2};
  e.list = {};
  e.bits = {true, false};
  e.inners = {Inner{}, Inner{.x = 4}};
  e.array = {7, 8};
  e.map = {{"z", 1.5}, {"a", 2}};
  e.sorted = {{"k", 1}};
  e.tuple = {1, "two", 3.0};
  e.pair = {5, Inner{.y = "pair"}};
  e.either = std::vector<int>{4};
  e.seconds = 90s;
  e.real_seconds = 1500ms;
  e.millis = 2s;
  e.inner.y = "inner";
  e.optimizer = toy::Adam{.b1 = 0.5};
  e.call = "field_types:twice";
  e.any = Tuple{1, "x"};
  e.dict["open"] = 3;
  e.required = 11;
  auto back = round_trip(e);
  EXPECT_EQ(back.text, e.text);
  EXPECT_EQ(back.key.str(), "batch.image");
  EXPECT_EQ(back.path, e.path);
  EXPECT_EQ(back.axis, Axis::channels);
  EXPECT_EQ(back.maybe, 3);
  EXPECT_EQ(back.maybe_inner->x, 2);
  EXPECT_TRUE(back.list.empty());
  EXPECT_EQ(back.bits, e.bits);
  EXPECT_EQ(back.inners[1].x, 4);
  EXPECT_EQ(back.array, e.array);
  EXPECT_EQ(back.map.begin()->first, "z");
  EXPECT_EQ(back.sorted, e.sorted);
  EXPECT_EQ(back.tuple, e.tuple);
  EXPECT_EQ(back.pair.second.y, "pair");
  EXPECT_EQ(std::get<std::vector<int>>(back.either), std::vector<int>{4});
  EXPECT_EQ(back.seconds, 90s);
  EXPECT_EQ(back.real_seconds, 1500ms);
  EXPECT_EQ(back.millis, 2s);
  EXPECT_EQ(back.inner.y, "inner");
  EXPECT_EQ(back.optimizer.as<toy::Adam>().b1, 0.5);
  EXPECT_EQ(back.call(4), 8);
  EXPECT_EQ(back.any, (Value(Tuple{1, "x"})));
  EXPECT_EQ(back.dict["open"].get(), Value(3));
  EXPECT_EQ(back.required, 11);
}

TEST(FieldTypes, ConfigForm) {
  Everything e;
  e.required = 1;
  e.tuple = {1, "two", 3.0};
  e.list = {3};
  e.axis = Axis::batch;
  e.call = "field_types:twice";
  e.seconds = 2min;
  EXPECT_EQ(to_json(lower(e)),
            R"({"__qualname__": "field_types:Everything", "axis": "batch", "list": [3], )"
            R"("tuple": [1, "two", 3.0], "seconds": 120, )"
            R"("call": {"__const__": "field_types:twice"}, "required": 1})");
  auto node = lower(e);
  EXPECT_TRUE(node["tuple"].get().is<Tuple>());
  EXPECT_TRUE(node["list"].get().is<List>());
}

TEST(FieldTypes, VariantsChooseTheBestAlternative) {
  using V = decltype(Everything::either);
  auto index = [](const Value& v) { return load<V>(v).index(); };
  EXPECT_EQ(index(None()), 0u);
  EXPECT_EQ(index(true), 1u);
  EXPECT_EQ(index(3), 2u);
  EXPECT_EQ(index(3.0), 3u);
  EXPECT_EQ(index("3"), 4u);
  EXPECT_EQ(index(Tuple{1}), 5u);
  EXPECT_EQ((load<std::variant<std::string, Axis>>("batch").index()), 1u);
  EXPECT_EQ((load<std::variant<std::string, Axis>>("other").index()), 0u);
  EXPECT_EQ((load<std::variant<double, std::string>>(3).index()), 0u);
}

TEST(FieldTypes, ANestedStructStartsFromTheFieldsDefault) {
  EXPECT_EQ(to_json(lower(Outer{})), R"({"__qualname__": "field_types:Outer"})");
  Outer changed;
  changed.inner.x = 1;  // the default of Inner, not of the field
  EXPECT_EQ(to_json(lower(changed)), R"({"__qualname__": "field_types:Outer", "inner": {"x": 1}})");
  auto back = round_trip(changed);
  EXPECT_EQ(back.inner.x, 1);
  EXPECT_EQ(back.inner.y, "outer");
}

TEST(FieldTypes, Durations) {
  using Minutes = std::chrono::minutes;
  EXPECT_EQ(load<std::chrono::seconds>("10s"), 10s);
  EXPECT_EQ(load<std::chrono::milliseconds>("500ms"), 500ms);
  EXPECT_EQ(load<std::chrono::seconds>("2min"), 2min);
  EXPECT_EQ(load<std::chrono::seconds>("1.5h"), 90min);
  EXPECT_EQ(load<std::chrono::nanoseconds>("3 us"), 3us);
  EXPECT_EQ(load<std::chrono::seconds>(7), 7s);
  EXPECT_EQ(load<std::chrono::duration<double>>("1500ms").count(), 1.5);
  EXPECT_EQ(load<std::chrono::duration<double>>(2).count(), 2.0);
  EXPECT_EQ(load<std::chrono::seconds>("-2min"), -2min);
  expect_error(ErrorKind::type, {"expected a duration (a whole number of minutes", "\"90s\""},
               [] { load<Minutes>("90s"); });
  expect_error(ErrorKind::type, {"expected a duration"}, [] { load<Minutes>("soon"); });
  expect_error(ErrorKind::type, {"got 1.5"}, [] { load<std::chrono::seconds>(1.5); });
}

TEST(FieldTypes, CallablesAreCheckedBySignature) {
  using Call = Callable<double(double)>;
  expect_error(ErrorKind::type, {"expected a function double", "which is int"},
               [] { load<Call>(SymbolName{"field_types:other"}); });
  expect_error(ErrorKind::key, {"did you mean 'field_types:twice'"},
               [] { load<Call>(SymbolName{"field_types:twic"}); });
  EXPECT_FALSE(load<Call>(None()));
}

struct Plain1 {
  int a = 0;
};
struct Plain2 {
  int a = 0;
};

TEST(FieldTypes, AVariantOfSeveralPlainStructsNeedsNames) {
  std::variant<Plain1, Plain2> v = Plain2{};
  expect_error(ErrorKind::key, {"Plain2", "KONFIG_REGISTER"},
               [&] { lower_value(type_of<decltype(v)>(), &v); });
}

}  // namespace
}  // namespace field_types
