// Hashes of values.
#include "konfig/hash.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "konfig/config_dict.h"
#include "konfig/expect_test.h"
#include "konfig/resolve.h"

namespace konfig {
namespace {

TEST(Hash, FrozenMapsAreKeys) {
  const HashFrozen hash;
  const ConfigDict cfg{{"x", 1}, {"y", List{2.5, ConfigDict{{"z", true}}}}};
  const Value a = resolve(cfg);
  const Value b = resolve(ConfigDict{{"y", List{2.5, ConfigDict{{"z", true}}}}, {"x", 1}});
  ASSERT_EQ(a, b);
  EXPECT_EQ(hash(a), hash(b));
  std::unordered_set<Value, HashFrozen> seen = {resolve(cfg)};
  EXPECT_TRUE(seen.contains(b));
  EXPECT_FALSE(seen.contains(resolve(ConfigDict{{"x", 1}, {"y", 2}})));
  // What is equal has the same hash, whatever type a number has.
  for (const Value& one : {Value(1), Value(1.0), Value(true)}) EXPECT_EQ(hash(one), hash(1));
  EXPECT_EQ(hash(Set({1, 2}, true)), hash(Set({2, 1}, true)));
  EXPECT_NE(hash(Tuple{1, 2}), hash(Tuple{2, 1}));
  EXPECT_NE(hash(1), hash("1"));
  EXPECT_EQ(hash(Value()), hash(Value()));
}

TEST(Hash, WhatCanChangeIsNoKey) {
  const HashFrozen hash;
  for (const Value& value : {Value(List{1}), Value(Dict{{"x", 1}}), Value(Set{1}),
                             Value(ConfigDict{{"x", 1}}), Value(Tuple{List{1}})}) {
    expect_error(ErrorKind::type, {"has no hash"}, [&] { hash(value); });
  }
  const Value loose = resolve(ConfigDict{{"x", List{1}}}, {.freeze = false});
  expect_error(ErrorKind::type, {"dict", "has no hash"}, [&] { hash(loose); });
}

}  // namespace
}  // namespace konfig
