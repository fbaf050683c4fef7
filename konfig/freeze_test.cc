// Immutable maps.
#include "konfig/freeze.h"

#include <gtest/gtest.h>

#include "konfig/config_dict.h"
#include "konfig/expect_test.h"
#include "konfig/resolve.h"

namespace konfig {
namespace {

TEST(Freeze, WhatWasResolvedStaysAsItIs) {
  const ConfigDict cfg{{"b", 1}, {"a", List{ConfigDict{{"x", 1}}}}};
  const Value resolved = resolve(cfg);
  Dict frozen = resolved.as<Dict>();
  expect_error(ErrorKind::type, {"immutable map", "'b'", "unfreeze"}, [&] { frozen.set("b", 2); });
  // Equal to a plain map, in the order of the config.
  EXPECT_EQ(resolved, Value(Dict{{"b", 1}, {"a", Tuple{Dict{{"x", 1}}}}}));
  EXPECT_EQ(frozen.begin()->first, Value("b"));
}

TEST(Freeze, UnfrozenAreCopiesAtEveryDepth) {
  const ConfigDict cfg{{"a", List{ConfigDict{{"x", 1}}}}};
  const Value resolved = resolve(cfg);
  Value fields = unfreeze(resolve(cfg));
  Dict outer = fields.as<Dict>();
  Dict inner = outer.at("a").as<Tuple>()[0].as<Dict>();
  inner.set("x", 2);
  outer.set("b", 3);
  EXPECT_EQ(fields, Value(Dict{{"a", Tuple{Dict{{"x", 2}}}}, {"b", 3}}));
  EXPECT_EQ(resolved, Value(Dict{{"a", Tuple{Dict{{"x", 1}}}}}));
  EXPECT_EQ(unfreeze(Value(3)), Value(3));
}

}  // namespace
}  // namespace konfig
