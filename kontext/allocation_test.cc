// A lookup with a path that was parsed before allocates nothing.
#include <gtest/gtest.h>

#include "base/allocations_test.h"
#include "kontext/get.h"
#include "kontext/toys_test.h"

namespace kontext {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Value;

template <class T>
void expect_no_allocation(const T& tree, std::string_view text) {
  const Path path = Path::parse(text);
  ASSERT_TRUE(find_by_path(tree, path)) << text;  // fills tables that are made once
  auto before = base::allocations;
  bool found = static_cast<bool>(find_by_path(tree, path));
  EXPECT_EQ(base::allocations, before) << text;
  EXPECT_TRUE(found);
}

TEST(Allocation, LookupsMakeNone) {
  Value value =
      Dict{{"a rather long name of a key", Dict{{"another long name of a key", List{1, 2}}}}};
  expect_no_allocation(value, "['a rather long name of a key']['another long name of a key'][1]");
  ConfigDict cfg{value.as<Dict>()};
  expect_no_allocation(cfg, "['a rather long name of a key']['another long name of a key'][-1]");
  toys::Batch batch;
  expect_no_allocation(batch, "boxes[0].score");
  expect_no_allocation(batch, "shared.label");
  expect_no_allocation(batch, "ids['a b']");
  expect_no_allocation(batch, "bits[1]");
  std::map<std::string, std::vector<std::map<std::string, float>>> params = {
      {"a rather long name of a layer", {{{"and of a parameter in this layer", 1.0f}}}}};
  expect_no_allocation(params,
                       "['a rather long name of a layer'][0]['and of a parameter in this layer']");
}

}  // namespace
}  // namespace kontext
