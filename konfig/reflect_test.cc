#include "konfig/reflect.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

#include "konfig/names.h"

namespace {

using konfig::field_names;
using konfig::visit_fields;
using Names = std::vector<std::string_view>;

template <class T>
constexpr auto count = konfig::detail::field_count<T>;

struct None0 {};
struct One {
  std::string text;
};
struct Inner {
  int a = 1, b = 2;
};
struct Mixed {
  bool flag = true;
  std::string name = "x";
  std::optional<int> maybe = {};
  std::optional<std::string> maybe_text = {};
  std::vector<Inner> list = {};
  std::map<std::string, Inner> map = {};
  std::variant<int, std::string> either = 1;
  std::variant<Inner> single = {};
  std::tuple<int, double> tuple = {};
  std::array<int, 3> array = {};
  Inner inner = {};
  std::unique_ptr<int> owner = {};
};
template <class T>
struct EmptyBase {
  int call() const { return static_cast<const T&>(*this).hidden; }
};
struct Tag {};
struct Mlp : EmptyBase<Mlp> {
  int hidden = 128;
  std::string act = "relu";
};
struct TwoBases : EmptyBase<TwoBases>, Tag {
  Inner hidden = {};
};
struct OnlyBase : Tag {};

class Hidden {
 public:
  explicit Hidden(int w = 3) : width_(w) {}
  virtual ~Hidden() = default;
  KONFIG_FIELDS(width_, depth_);

 private:
  int width_;
  double depth_ = 0.5;
};

struct Many {
  int a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0;
  int b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0;
  int c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0;
  int d0 = 0, d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0, d7 = 0;
  int e0 = 0, e1 = 0, e2 = 0, e3 = 0, e4 = 0, e5 = 0, e6 = 0, e7 = 0;
  int f0 = 0, f1 = 0, f2 = 0, f3 = 0, f4 = 0, f5 = 0, f6 = 0, f7 = 0;
  int g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0;
  int h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0, h5 = 0, h6 = 0, last = 7;
};
template <class A, int N>
struct Templated {
  A value = {};
  std::array<A, N> rest = {};
};

TEST(Reflect, CountsAndNames) {
  EXPECT_EQ(count<None0>, 0u);
  EXPECT_EQ(field_names<None0>(), Names{});
  EXPECT_EQ(field_names<One>(), Names{"text"});
  EXPECT_EQ(field_names<Mixed>(), (Names{"flag", "name", "maybe", "maybe_text", "list", "map",
                                         "either", "single", "tuple", "array", "inner", "owner"}));
  EXPECT_EQ(field_names<Many>().size(), 64u);
  EXPECT_EQ(field_names<Many>().back(), "last");
  EXPECT_EQ((field_names<Templated<std::string, 3>>()), (Names{"value", "rest"}));
}

TEST(Reflect, EmptyBasesAreSubtracted) {
  EXPECT_EQ(field_names<Mlp>(), (Names{"hidden", "act"}));
  EXPECT_EQ(field_names<TwoBases>(), Names{"hidden"});
  EXPECT_EQ(field_names<OnlyBase>(), Names{});
  Mlp mlp;
  visit_fields(mlp, [](int& hidden, std::string& act) { hidden = 7, act = "gelu"; });
  EXPECT_EQ(mlp.call(), 7);
}

TEST(Reflect, FieldListOfANonAggregate) {
  EXPECT_EQ(field_names<Hidden>(), (Names{"width_", "depth_"}));
  Hidden h(5);
  visit_fields(h, [](int& w, double& d) {
    EXPECT_EQ(w, 5);
    d = 2;
  });
  visit_fields(std::as_const(h), [](const int&, const double& d) { EXPECT_EQ(d, 2); });
}

enum class Color { red, green, blue = 40 };
enum Plain : std::uint8_t { first, second };
enum class Keyword { stop, continue_ };

TEST(Names, EnumeratorsMayBeSparse) {
  auto colors = konfig::enumerators<Color>();
  ASSERT_EQ(colors.size(), 3u);
  EXPECT_EQ(colors[1].name, "green");
  EXPECT_EQ(colors[2].name, "blue");
  EXPECT_EQ(colors[2].value, 40);
  ASSERT_EQ(konfig::enumerators<Plain>().size(), 2u);
  EXPECT_EQ(konfig::enumerators<Plain>()[1].name, "second");
  EXPECT_EQ(konfig::enumerators<Keyword>()[1].name, "continue");
}

}  // namespace

namespace outer::inner {
struct Widget {};
}  // namespace outer::inner

TEST(Names, Types) {
  EXPECT_EQ(konfig::type_name<outer::inner::Widget>, "outer::inner::Widget");
  EXPECT_EQ(konfig::type_name<int>, "int");
  EXPECT_EQ(konfig::type_name<std::vector<int>>, "std::vector<int>");
}
