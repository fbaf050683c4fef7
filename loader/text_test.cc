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

std::string first_in_mine(const std::string& output) { return first_error(output, "my.cc"); }

TEST(CompilerOutput, FirstError) {
  EXPECT_EQ(first_in_mine(R"(my.cc: In function 'int f()':
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
  EXPECT_EQ(first_error("a.cc:1:1: error: x\n", "a.cc"), "a.cc:1:1: error: x");
  EXPECT_EQ(first_in_mine("ld: error\n"), "");
  EXPECT_EQ(first_in_mine(""), "");
}

TEST(CompilerOutput, ErrorsInHeadersShowTheLineOfTheFile) {
  EXPECT_EQ(first_in_mine(R"(In file included from my.cc:1:
/kd/config.h: In instantiation of 'void f(T) [with T = int]':
my.cc:9:4:   required from here
/kd/config.h:30:2: error: no matching function for call to 'g'
   30 |   g(x);
      |   ^
)"),
            R"(my.cc:9:4: error: no matching function for call to 'g'
found in /kd/config.h:30)");
  // clang says it afterwards.
  EXPECT_EQ(first_in_mine(R"(/kd/config.h:30:2: error: static_assert failed
  static_assert(x);
  ^
/kd/lower.h:7:4: note: in instantiation of function template specialization 'f<int>' requested here
  f(x);
  ^
my.cc:9:4: note: in instantiation of function template specialization 'g<int>' requested here
  g(3);
  ^
)"),
            R"(my.cc:9:4: error: static_assert failed
  g(3);
  ^
found in /kd/config.h:30)");
}

TEST(CompilerOutput, AssertionsOfHeadersAreErrorsOfTheUsersLine) {
  EXPECT_EQ(first_in_mine(R"(my.cc:9:4:   required from here
/kd/config.h:30:2: error: static assertion failed: a sweep function returns a list
   30 |   static_assert(x);
/kd/config.h:30:2: note: 'x' evaluates to false
)"),
            "my.cc:9:4: error: a sweep function returns a list\nfound in /kd/config.h:30");
  for (const char* words : {"static_assert failed due to requirement 'x' \"a list: \"it\"\"",
                            "static_assert failed due to requirement 'x' \"a list: \\\"it\\\"\"",
                            "static assertion failed due to requirement 'x': a list: \"it\""}) {
    EXPECT_EQ(first_in_mine("/kd/config.h:30:2: error: " + std::string(words) +
                            "\nmy.cc:9:4: note: in instantiation of 'f<int>' requested here\n"),
              "my.cc:9:4: error: a list: \"it\"\nfound in /kd/config.h:30");
  }
}

// As clang and gcc write it.
TEST(CompilerOutput, TheFieldOfAConfigIsNamed) {
  const char* expected = "my.cc:17:1: error: my::Bad::m: not a field\nfound in /kd/types.h:106";
  EXPECT_EQ(
      first_in_mine(
          R"(/kd/types.h:106:5: error: static_assert failed due to requirement 'fits' "not a field"
/kd/types.h:116:9: note: in instantiation of function template specialization 'tfimm::train::detail::check_field<my::Bad, {&object.value.m}, std::map<int, int>>' requested here
my.cc:17:1: note: in instantiation of function template specialization 'tfimm::train::detail::add_class<my::Bad>' requested here
)"),
      expected);
  EXPECT_EQ(
      first_in_mine(
          R"(/kd/types.h: In instantiation of 'consteval void tfimm::train::detail::check_field() [with Struct = my::Bad; konfig::detail::Wrap Field = konfig::detail::Wrap{((const void*)(& konfig::detail::Fake<my::Bad>::object.konfig::detail::Fake<my::Bad>::value.my::Bad::m))}; T = std::map<int, int>]':
my.cc:17:1:   required from here
/kd/types.h:106:30: error: static assertion failed: not a field
)"),
      expected);
}

}  // namespace
}  // namespace loader
