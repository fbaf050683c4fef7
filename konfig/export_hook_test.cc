// What objects are exported as.
#include "konfig/export_hook.h"

#include <gtest/gtest.h>

#include "konfig/config_dict.h"
#include "konfig/expect_test.h"
#include "konfig/konfig.h"

namespace export_hook_test {

struct Range {
  int begin = 0, end = 0;
};
struct RangeArguments {
  int stop = 0;
};
Range range_of(const RangeArguments& arguments) { return {.end = arguments.stop}; }
konfig::Dict export_range(const Range& range) {
  return {{"__qualname__", "my.project:range_of"}, {"stop", range.end - range.begin}};
}

struct Nameless {
  int x = 0;
};
konfig::Dict export_nameless(const Nameless& object) { return {{"x", object.x}}; }

}  // namespace export_hook_test

using export_hook_test::export_range;
using export_hook_test::Range;
KONFIG_REGISTER(export_hook_test::Range, "my.project:Range");
KONFIG_REGISTER(export_hook_test::Nameless, "my.project:Nameless");
KONFIG_FUNCTION("my.project:range_of", export_hook_test::range_of);
KONFIG_EXPORT_AS(Range, export_range);
KONFIG_EXPORT_AS(export_hook_test::Nameless, export_hook_test::export_nameless);

namespace konfig {
namespace {

TEST(ExportHook, WritesWhatItGives) {
  const Value range = resolve(call("my.project:Range", {{"begin", 2}, {"end", 5}}));
  const Value config = export_(range);
  EXPECT_EQ(config, Value(Dict{{"__qualname__", "my.project:range_of"}, {"stop", 3}}));
  const auto again =
      std::static_pointer_cast<const Range>(object_of(resolve(config), type_of<Range>()));
  EXPECT_EQ(again->end, 3);
}

TEST(ExportHook, NeedsAName) {
  const Value object = resolve(call("my.project:Nameless", {{"x", 1}}));
  expect_error(ErrorKind::value, {"export_hook_test::Nameless", "__qualname__"},
               [&] { export_(object); });
}

}  // namespace
}  // namespace konfig
