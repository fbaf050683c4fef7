// The small readers of compiler output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader/compiler_output_impl.h"
#include "loader/depfile_impl.h"

namespace loader {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Depfile, Prerequisites) {
  EXPECT_THAT(parse_depfile("a.so: x.cc y.h \\\n /z/w.h\n"), ElementsAre("x.cc", "y.h", "/z/w.h"));
  EXPECT_THAT(parse_depfile("a.so: \\\n  x.cc\\\n y.h"), ElementsAre("x.cc", "y.h"));
  EXPECT_THAT(parse_depfile("a\\ b.so: x\\ y.cc c$$d.h e\\#f.h g:h.h\n"),
              ElementsAre("x y.cc", "c$d.h", "e#f.h", "g:h.h"));
  EXPECT_THAT(parse_depfile("a: x\nb: y\n\n"), ElementsAre("x", "y"));
  EXPECT_THAT(parse_depfile(""), IsEmpty());
  EXPECT_THAT(parse_depfile("nonsense"), IsEmpty());
}

TEST(CompilerOutput, FirstError) {
  EXPECT_EQ(first_error(R"(my.cc: In function 'int f()':
my.cc:3:5: warning: unused variable 'x' [-Wunused-variable]
    3 | int x;
      |     ^
my.cc:4:7: error: no member named 'sed'; did you mean 'seed'?
    4 |   cfg.sed = 42;
      |       ^~~
      |       seed
my.cc:5:7: error: 'y' was not declared in this scope
    5 |   y = 1;
      |   ^
my.cc:6:1: fatal error: z.h: No such file or directory
)"),
            R"(my.cc:4:7: error: no member named 'sed'; did you mean 'seed'?
    4 |   cfg.sed = 42;
      |       ^~~
      |       seed
(2 more errors; KD_VERBOSE=1 shows all))");
  EXPECT_EQ(first_error("a.cc:1:1: error: x\n"), "a.cc:1:1: error: x");
  EXPECT_EQ(first_error("ld: error\n"), "");
  EXPECT_EQ(first_error(""), "");
}

TEST(CompilerOutput, ErrorsInHeadersSayWhereTheyComeFrom) {
  EXPECT_EQ(first_error(R"(In file included from my.cc:1:
/kd/config.h: In instantiation of 'void f(T) [with T = int]':
my.cc:9:4:   required from here
/kd/config.h:30:2: error: static assertion failed: a sweep function returns a list
   30 |   static_assert(x);
      |                 ^
/kd/config.h:30:2: note: 'x' evaluates to false
)"),
            R"(/kd/config.h:30:2: error: static assertion failed: a sweep function returns a list
   30 |   static_assert(x);
      |                 ^
reached from my.cc:9)");
  // clang says it afterwards.
  EXPECT_EQ(first_error(R"(/kd/config.h:30:2: error: static_assert failed
  static_assert(x);
  ^
my.cc:9:4: note: in instantiation of function template specialization 'f<int>' requested here
)"),
            R"(/kd/config.h:30:2: error: static_assert failed
  static_assert(x);
  ^
reached from my.cc:9)");
}

}  // namespace
}  // namespace loader
