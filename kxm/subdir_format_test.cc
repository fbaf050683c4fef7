#include "kxm/subdir_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "konfig/scalar_text.h"
#include "kxm/make_plan.h"
#include "kxm/proxies.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::List;
using testing::HasSubstr;

std::string format(const std::string& text, int wid = 7, const Dict& kwargs = {}) {
  const DirContext at{.xid = 42,
                      .title = "a/b",
                      .author = "me",
                      .num_units = 345,
                      .wid = wid,
                      .sweep_kwargs = &kwargs};
  return format_dir(text, SubdirFormat(), at);
}
std::string error_of(const std::string& text, int wid = 7) {
  try {
    return "no error: " + format(text, wid);
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(SubdirFormat, Fields) {
  EXPECT_EQ(format("{xid:06d}-{wid}-{unpadded_wid}"), "000042-007-7");
  EXPECT_EQ(format("{{{wid}}}"), "{007}");
  EXPECT_EQ(format("{name}"), "a-b");
  EXPECT_EQ(format("{wid:>5}|{wid!r}|{author:_<4}"), "  007|'007'|me__");
  EXPECT_EQ(format("{wid}{separator_if_sweep}{sweep_kwargs}", 7, {{"a", 1}}), "007-a=1");
}

TEST(SubdirFormat, Mistakes) {
  EXPECT_THAT(error_of("{widd}"), HasSubstr("did you mean 'wid'"));
  EXPECT_THAT(error_of("{}"), HasSubstr("names no field"));
  EXPECT_THAT(error_of("{wid"), HasSubstr("without its '}'"));
  EXPECT_THAT(error_of("wid}"), HasSubstr("single '}'"));
  EXPECT_THAT(error_of("{cell}"), HasSubstr("xp.cell"));
  EXPECT_THAT(error_of("{wid}", 0), HasSubstr("not known yet"));
  EXPECT_THAT(error_of("{xid:999999d}"), HasSubstr("too wide"));
  EXPECT_THAT(error_of("{xid:q}"), HasSubstr("does not fit"));
  EXPECT_THAT(error_of("{xid!x}"), HasSubstr("no conversion"));
}

// Whatever is swept, units have folders of their own, one level below the experiment's.
TEST(SubdirFormat, FoldersAreUniqueShortAndSafe) {
  std::mt19937 random(5);
  static const std::vector<std::string> kParts = {
      "/", "..", "x", " ", "\n", "%", "*", "é", "😀", "-", "[", "{wid}", std::string("\0", 1), "\t"};
  auto text = [&](unsigned most = 90) {
    std::string out;
    const auto n = random() % most;
    for (std::size_t i = 0; i < n; ++i) out += kParts[random() % kParts.size()];
    return out;
  };
  for (int i = 0; i < 60; ++i) {
    List items;
    for (int k = 0; k < 12; ++k)
      items.push_back(Dict{{"k" + std::to_string(random() % 3), text()}});
    const char* formats[] = {"{sweep_kwargs}", "{wid}{separator_if_sweep}{sweep_kwargs}", "x",
                             "{name}"};
    const Experiment xp{.name = "n" + text(/*most=*/40),
                        .jobs = {{"j", Job{.target = "/bin/true", .args = {{"d", WU_DIR_PROXY}}}}},
                        .root_dir = "/r",
                        .subdir_format = SubdirFormat{.wu_dirname = formats[random() % 4]},
                        .sweep_info = SimpleSweep{items}};
    std::set<std::string> seen;
    for (auto& unit : make_plan(xp).units) {
      EXPECT_TRUE(seen.insert(unit.dir).second) << unit.dir;
      ASSERT_TRUE(unit.dir.starts_with("/r/1/"));
      const std::string name = unit.dir.substr(5);
      EXPECT_FALSE(name.empty() || name == "." || name == "..") << unit.dir;
      EXPECT_EQ(name.find_first_of(std::string("/\0\n", 3)), name.npos) << unit.dir;
      EXPECT_LE(name.size(), 255u);
      EXPECT_TRUE(konfig::is_utf8(name));
    }
  }
}

}  // namespace
}  // namespace kxm
