// Paths: grammar, printing, comparing, joining.
#include "kontext/path.h"

#include <gtest/gtest.h>

#include <sstream>
#include <unordered_set>

#include "konfig/expect_test.h"

namespace kontext {
namespace {

using konfig::Complex;
using konfig::ErrorKind;
using konfig::expect_error;
using konfig::Value;

TEST(Path, AttributesAndIndices) {
  EXPECT_EQ(Path::parse("a.b[0]['x y'][-1]"), (Path{"a", "b", 0, "x y", -1}));
  EXPECT_EQ(Path::parse(""), Path());
  EXPECT_EQ(Path::parse("a.0"), Path::parse("a[0]"));
  EXPECT_EQ(Path::parse("1.5"), (Path{1, 5}));
  EXPECT_EQ(Path::parse(" a . b [ 0 ]\t"), (Path{"a", "b", 0}));
  EXPECT_EQ(Path::parse("a.None"), (Path{"a", "None"}));
  EXPECT_EQ(Path::parse("a[None]"), (Path{"a", None{}}));
}

TEST(Path, Numbers) {
  EXPECT_EQ(Path::parse("a[0x1F][0b101][-0o17]"), (Path{"a", 31, 5, -15}));
  EXPECT_EQ(Path::parse("a[1.5][.5][1e3]"), (Path{"a", 1.5, 0.5, 1000.0}));
  EXPECT_EQ(Path::parse("a[2j]")[1].value(), Value(Complex{0, 2}));
  EXPECT_EQ(Path::parse("a[(1-2.5j)]")[1].value(), Value(Complex{1, -2.5}));
  EXPECT_EQ(Path::parse("a[99999999999999999999]").str(), "a[99999999999999999999]");
  EXPECT_EQ(Path::parse("a[-9223372036854775808]").str(), "a[-9223372036854775808]");
}

TEST(Path, Axes) {
  std::string text = "interm.some.tensor[...,:,:1,7:9,::-1,None]";
  Path path = Path::parse(text);
  ASSERT_EQ(path.size(), 4u);
  auto& axes = path[-1].value().as<Axes>();
  ASSERT_EQ(axes.size(), 6u);
  EXPECT_EQ(axes[0], Value(Ellipsis{}));
  EXPECT_EQ(axes[3], Value(Slice{.start = 7, .stop = 9}));
  EXPECT_EQ(path.str(), text);
  EXPECT_EQ(Path::parse("tensor[1 ][ True ][ 10 : 2 : -1  ]").str(), "tensor[1][True][10:2:-1]");
}

TEST(Path, ErrorsShowThePlace) {
  auto column = [](const char* text) {
    try {
      Path::parse(text);
    } catch (const ParseError& e) {
      EXPECT_EQ(e.kind(), ErrorKind::value);
      return static_cast<int>(e.column());
    }
    return 0;
  };
  EXPECT_EQ(column("a..b"), 3);
  EXPECT_EQ(column("a[x]"), 3);
  EXPECT_EQ(column(".a"), 1);
  EXPECT_EQ(column("a."), 3);
  EXPECT_EQ(column("a b"), 3);
  EXPECT_EQ(column("a\n.b"), 2);
  EXPECT_EQ(column("é[1"), 4);
  for (const char* text :
       {"a.[0]",      "a[]",        "a[*]",     "a*",     "***",     "a-b",      "a[1_000]",
        "a[1:2:3:4]", "a[1:None]",  "a['x',0]", "a[01]",  "a[...]",  "a[(0,1)]", "a['x",
        "a[- 1]",     "a['''x''']", "a[1e999]", "a[(0)]", "a[1j:2]", "\xff",     "a[0xg]"}) {
    EXPECT_GT(column(text), 0) << text;
  }
  expect_error(ErrorKind::value, {"'a.b[c]'", "quotes", "\n  a.b[c]\n      ^"},
               [] { Path::parse("a.b[c]"); });
  std::string deep = "a[" + std::string(5000, '(');
  EXPECT_THROW(Path::parse(deep), ParseError);
}

TEST(Path, PrintsSoThatItReadsBack) {
  for (const Path& path :
       {Path{"a", "x y", "it's", "", "é", "0", "*", "class", "x²"}, Path{0, -1, true, None{}, 1.5},
        Path{"a", Axes{0}}, Path{"a", Axes{}}, Path{"a", Ellipsis{}}, Path{"a", Axes{"b", 1}},
        Path{"a", Axes{"b", Axes{1, 2}, true}}, Path{"a", Axes{1.5, 2}}, Path{"a", Axes{1, "b"}},
        Path{"a", Slice{}}, Path{"a", Slice{.step = -1}}}) {
    EXPECT_EQ(Path::parse(path.str()), path) << path;
  }
  EXPECT_EQ((Path{"a", Axes{0}}).str(), "a[0,]");
  EXPECT_EQ((Path{"a", Axes{}}).str(), "a[()]");
  EXPECT_EQ((Path{"a", Ellipsis{}}).str(), "a[...,]");
  EXPECT_EQ((Path{"a", "b", 0, "x y"}).str("/"), "a/b/0/x y");
  std::ostringstream out;
  out << Path{"a", 0};
  EXPECT_EQ(out.str(), "a[0]");
}

TEST(Path, PartsMustBePlain) {
  expect_error(ErrorKind::value, {"list"}, [] { Part(Value(konfig::List{1})); });
  expect_error(ErrorKind::value, {"wildcard"}, [] { Path::parse("a.*"); });
  expect_error(ErrorKind::value, {"wildcard"}, [] { Path{"a", Part::star()}; });
  expect_error(ErrorKind::value, {"bytes"}, [] { Path::parse("a[b'x']"); });
}

TEST(Path, ComparesAsPython) {
  EXPECT_EQ(Path::parse("a[1]"), Path::parse("a[True]"));
  EXPECT_EQ(Path::parse("a[1]"), Path::parse("a[1.0]"));
  EXPECT_EQ(Path::parse("a[1]").hash(), Path::parse("a[1.0]").hash());
  EXPECT_EQ(Path::parse("a[1]").hash(), Path::parse("a[True]").hash());
  EXPECT_FALSE(Path::parse("a[0]") == Path::parse("a['0']"));
  EXPECT_FALSE(Path::parse("a.b") == GlobPath::parse("a.b"));
  std::unordered_set<Path> set{"a.b"_path, "a['b']"_path, "a[0:1]"_path, "a[0:1]"_path};
  EXPECT_EQ(set.size(), 2u);
}

TEST(Path, Operations) {
  Path path = "a.b[2].c.d"_path;
  EXPECT_EQ(path[2], Part(2));
  EXPECT_EQ(path[-1], Part("d"));
  expect_error(ErrorKind::index, {"a.b[2].c.d: ", "5 part"}, [&] { path[9]; });
  EXPECT_EQ(path.slice({.start = 2}), "[2].c.d"_path);
  EXPECT_EQ(path.slice({.step = -1}).str(), "d.c[2].b.a");
  EXPECT_EQ(path.parent(), "a.b[2].c"_path);
  EXPECT_EQ(Path().parent(), Path());
  EXPECT_EQ(path.relative_to("a.b"_path), "[2].c.d"_path);
  expect_error(ErrorKind::value, {"a.b[2].c.d: ", "not below 'b'"},
               [&] { path.relative_to("b"_path); });
  EXPECT_EQ("a"_path / "b" / 0 / "x.y"_path, "a.b[0].x.y"_path);
  EXPECT_EQ(GlobPath::parse("a.b.*.c").first_non_glob_parent(), "a.b"_path);
  EXPECT_EQ(GlobPath::parse("**.c").first_non_glob_parent(), Path());
  EXPECT_EQ((GlobPath{"a", Part::star_star()} / "b").str(), "a.**.b");
}

TEST(Slice, Ranges) {
  auto range = [](Slice slice, std::size_t size) {
    auto [start, step, count] = range_of(slice, size);
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < count; ++i)
      out.push_back(start + static_cast<std::int64_t>(i) * step);
    return out;
  };
  using Places = std::vector<std::int64_t>;
  EXPECT_EQ(range({}, 3), (Places{0, 1, 2}));
  EXPECT_EQ(range({.step = -1}, 3), (Places{2, 1, 0}));
  EXPECT_EQ(range({.start = -2, .stop = 99}, 3), (Places{1, 2}));
  EXPECT_EQ(range({.start = 5}, 3), Places{});
  EXPECT_EQ(range({.start = 2, .stop = -9, .step = -2}, 3), (Places{2, 0}));
  EXPECT_EQ(range({.step = INT64_MAX}, 3), Places{0});
  EXPECT_EQ(range({.step = INT64_MIN}, 3), Places{2});
  EXPECT_EQ(range({.start = INT64_MIN, .stop = INT64_MAX, .step = 2}, 3), (Places{0, 2}));
  EXPECT_THROW(range({.step = 0}, 3), konfig::Error);
}

}  // namespace
}  // namespace kontext
