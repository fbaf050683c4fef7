#include "cli/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/json.h"
#include "konfig/reference.h"

namespace cli {
namespace {

using konfig::call;
using konfig::ConfigDict;
using konfig::List;
using konfig::Tuple;
using konfig::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> lines(const Value& a, const Value& b) {
  std::vector<std::string> out;
  for (auto& change : diff(a, b)) out.push_back(to_line(change));
  return out;
}

TEST(Diff, EqualConfigs) {
  EXPECT_THAT(
      lines(ConfigDict{{"a", 1}, {"b", List{1, 2}}}, ConfigDict{{"b", List{1, 2}}, {"a", 1}}),
      IsEmpty());
}

TEST(Diff, ListsAndTuplesAreSequences) {
  EXPECT_THAT(lines(ConfigDict{{"a", List{1, 2}}}, ConfigDict{{"a", Tuple{1, 2}}}), IsEmpty());
  EXPECT_THAT(lines(ConfigDict{{"a", List{1, 2}}}, ConfigDict{{"a", Tuple{1, 3, 4}}}),
              ElementsAre("a[1]: 2 -> 3", "a[2]: added 4"));
}

TEST(Diff, Leaves) {
  EXPECT_THAT(lines(ConfigDict{{"a", 1}}, ConfigDict{{"a", 1.0}}), IsEmpty());
  EXPECT_THAT(lines(ConfigDict{{"a", 1}}, ConfigDict{{"a", true}}), ElementsAre("a: 1 -> True"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(lines(ConfigDict{{"a", nan}}, ConfigDict{{"a", nan}}), IsEmpty());
  EXPECT_THAT(lines(ConfigDict{{"a", nullptr}}, ConfigDict{}), ElementsAre("a: removed None"));
  EXPECT_THAT(lines(ConfigDict{{"a.b", "x"}}, ConfigDict{{"a.b", "y"}}),
              ElementsAre("['a.b']: 'x' -> 'y'"));
}

TEST(Diff, AnotherType) {
  EXPECT_THAT(lines(ConfigDict{{"o", call("m:A", {{"x", 1}})}},
                    ConfigDict{{"o", call("m:B", {{"x", 1}, {"y", 2}})}}),
              ElementsAre("o.__qualname__: 'm:A' -> 'm:B'", "o.y: added 2"));
  EXPECT_THAT(lines(ConfigDict{{"o", call("m:A", {{"x", 1}})}}, ConfigDict{{"o", 3}}),
              ElementsAre("o: m.A(x=1) -> 3"));
}

TEST(Diff, ArgumentsByPositionOrByName) {
  EXPECT_THAT(lines(ConfigDict{{"o", call("optax:adam", {0.1})}},
                    ConfigDict{{"o", call("optax:adam", {{"learning_rate", 0.1}})}}),
              IsEmpty());
  EXPECT_THAT(lines(ConfigDict{{"o", call("optax:adam", {0.1})}},
                    ConfigDict{{"o", call("optax:adam", {{"learning_rate", 0.2}})}}),
              ElementsAre("o[0]: 0.1 -> 0.2"));
}

TEST(Diff, References) {
  ConfigDict a{{"steps", 10}};
  a["warmup"] = a.ref("steps") * 2;
  EXPECT_THAT(lines(a, ConfigDict{{"steps", 10}, {"warmup", 20}}), IsEmpty());
}

TEST(Diff, SharedNodes) {
  const ConfigDict one = call("m:A");
  const ConfigDict shared{{"x", one}, {"y", one}};
  const ConfigDict apart{{"x", call("m:A")}, {"y", call("m:A")}};
  EXPECT_THAT(lines(shared, shared.copy()), IsEmpty());
  EXPECT_THAT(lines(shared, apart), ElementsAre("y: the node of x -> a node of its own"));
  // What is inside a shared node is reported once.
  ConfigDict changed = shared.copy();
  changed["x"]["p"] = 1;
  EXPECT_THAT(lines(shared, changed), ElementsAre("x.p: added 1"));
}

TEST(Diff, ConfigsThatContainThemselves) {
  ConfigDict a{{"v", 1}};
  a["self"] = a;
  ConfigDict b{{"v", 2}};
  b["self"] = b;
  EXPECT_THAT(lines(a, b), ElementsAre("v: 1 -> 2"));
}

}  // namespace
}  // namespace cli
