#include "kd/typing/spec.h"

#include <gtest/gtest.h>

namespace kd::typing {
namespace {

constexpr Problem problem(std::string_view text) { return parse(text).problem; }

TEST(Spec, EveryFormOfADim) {
  constexpr Spec spec = parse(" *b +d ... t? _x _ #c *#e 3|4 7 h*2 (h // 2) {f + 1} prod(*b) 1? h");
  static_assert(spec.problem == Problem::none);
  ASSERT_EQ(spec.dims, 16);
  auto& d = spec.dim;
  EXPECT_TRUE(d[0].many && !d[0].at_least_one && spec.of(d[0].name) == "b");
  EXPECT_TRUE(d[1].many && d[1].at_least_one && spec.of(d[1].name) == "d");
  EXPECT_TRUE(d[2].many && d[2].unchecked && d[2].name.size == 0);
  EXPECT_TRUE(d[3].optional && spec.of(d[3].name) == "t");
  EXPECT_TRUE(d[4].unchecked && d[5].unchecked && !d[4].many);
  EXPECT_TRUE(d[6].broadcast && !d[6].many && spec.of(d[6].name) == "c");
  EXPECT_TRUE(d[7].broadcast && d[7].many && spec.of(d[7].name) == "e");
  EXPECT_EQ(d[8].steps, 3);
  EXPECT_EQ(spec.step[d[9].first].number, 7);
  EXPECT_EQ(spec.of(d[11].text), "(h // 2)");
  EXPECT_TRUE(spec.uses_fields);
  EXPECT_TRUE(d[14].optional && d[14].name.size == 0);
  EXPECT_EQ(spec.of(d[15].name), "h");
}

TEST(Spec, ArithmeticBindsAsUsual) {
  constexpr Spec spec = parse("a+b*-c**2");
  static_assert(spec.steps == 8);
  constexpr Op expected[] = {Op::name,  Op::name,   Op::name,     Op::number,
                             Op::power, Op::negate, Op::multiply, Op::add};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(spec.step[i].op, expected[i]) << i;
}

TEST(Spec, FunctionsTakeDimsAndSeveralDims) {
  constexpr Spec spec = parse("sum(*b,h,2*w)");
  static_assert(spec.problem == Problem::none);
  constexpr Op expected[] = {Op::many,   Op::sum,  Op::name,     Op::add,
                             Op::number, Op::name, Op::multiply, Op::add};
  ASSERT_EQ(spec.steps, 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(spec.step[i].op, expected[i]) << i;
  for (auto text : {"min(h)", "prod(b)", "max(*b)", "min(a, *b, c)", "len(*a, *b)"}) {
    EXPECT_EQ(problem(text), Problem::none) << text;
  }
}

TEST(Spec, Problems) {
  EXPECT_EQ(problem(""), Problem::none);
  EXPECT_EQ(problem("b, h"), Problem::character);
  EXPECT_EQ(problem("b.h"), Problem::character);
  EXPECT_EQ(problem("3d"), Problem::character);
  EXPECT_EQ(problem("h * 2"), Problem::operand);
  EXPECT_EQ(problem("h*"), Problem::operand);
  EXPECT_EQ(problem("h|"), Problem::operand);
  EXPECT_EQ(problem("(h w)"), Problem::operand);
  EXPECT_EQ(problem("*"), Problem::operand);
  EXPECT_EQ(problem("(h//2"), Problem::bracket);
  EXPECT_EQ(problem("h)"), Problem::bracket);
  EXPECT_EQ(problem("{h)"), Problem::bracket);
  EXPECT_EQ(problem("abs(h)"), Problem::function);
  EXPECT_EQ(problem("len(h)"), Problem::function);
  EXPECT_EQ(problem("min()"), Problem::operand);
  EXPECT_EQ(problem("sum(*b, )"), Problem::operand);
  EXPECT_EQ(problem("*b?"), Problem::optional);
  EXPECT_EQ(problem("h*2?"), Problem::optional);
  EXPECT_EQ(problem("3|4?"), Problem::optional);
  EXPECT_EQ(problem("#(3)"), Problem::broadcast);
  EXPECT_EQ(problem("#c*2"), Problem::broadcast);
  EXPECT_EQ(problem("#_a"), Problem::broadcast);
  EXPECT_EQ(problem("*#_a"), Problem::broadcast);
  EXPECT_EQ(problem("_4"), Problem::character);
  EXPECT_EQ(problem("*_4"), Problem::character);
  EXPECT_EQ(problem("__a"), Problem::character);
  EXPECT_EQ(problem("_x*2"), Problem::unnamed);
  EXPECT_EQ(problem("(*b)"), Problem::several);
  EXPECT_EQ(problem("*b b"), Problem::both);
  EXPECT_EQ(problem("a b c d e f g h i j k l m n o p q"), Problem::length);
}

TEST(Spec, NoTextHangsOrOverruns) {
  constexpr std::string_view signs = " *+#?|_.a3()/%{}-,";
  std::uint32_t random = 1;
  for (int i = 0; i < 200000; ++i) {
    char text[24];
    std::size_t size = 0;
    do {
      random = random * 1664525 + 1013904223;
      text[size++] = signs[(random >> 16) % signs.size()];
    } while (size < sizeof text && (random >> 28) != 0);
    Spec spec = parse({text, size});
    ASSERT_LE(spec.dims, spec.dim.size());
    ASSERT_LE(spec.steps, spec.step.size());
  }
}

}  // namespace
}  // namespace kd::typing
