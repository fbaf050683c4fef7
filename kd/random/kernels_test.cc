// Tests of the inner loops: every variant gives the same bits, also at the ends of a loop, and the
// functions are right.
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "kd/random/kernels_impl.h"

namespace kd::random::detail {
namespace {

constexpr Function kFunctions[] = {Function::log, Function::log1p, Function::erf,
                                   Function::erf_inv};

// Bits over all exponents and signs.
std::vector<float> many_floats() {
  std::vector<std::uint32_t> words(100'003);
  kernels().words(key(1), 0, static_cast<std::int64_t>(words.size()), words.data());
  std::vector<float> out;
  for (auto word : words) out.push_back(std::bit_cast<float>(word));
  for (auto word : words) out.push_back(static_cast<float>(word) / 4294967296.0f * 2 - 1);
  for (float special : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, FLT_MIN, FLT_MAX}) {
    out.push_back(special);
  }
  return out;
}

std::vector<float> map(const Kernels& k, Function function, const std::vector<float>& in) {
  std::vector<float> out(in.size());
  k.map(function, in.data(), static_cast<std::int64_t>(in.size()), out.data());
  return out;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool both_nan = std::isnan(a[i]) && std::isnan(b[i]);
    if (!both_nan && std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) {
      ADD_FAILURE() << "element " << i << ": " << a[i] << " and " << b[i];
      return false;
    }
  }
  return true;
}

TEST(Kernels, VariantsGiveTheSameBits) {
  auto variants = all_kernels();
  const Kernels& plain = *variants[0];
  constexpr float kInf = std::numeric_limits<float>::infinity();
  auto in = many_floats();
  for (const Kernels* other : variants) {
    SCOPED_TRACE(other->name);
    for (Function function : kFunctions) {
      EXPECT_TRUE(same(map(plain, function, in), map(*other, function, in)));
    }
    for (std::int64_t n : {0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 1000}) {
      auto size = static_cast<std::size_t>(n);
      std::vector<std::uint32_t> a(size), b(size), c(size), d(size), e(size), f(size);
      std::uint64_t begin = (std::uint64_t{5} << 32) + 77;
      plain.words(key(2), begin, n, a.data());
      other->words(key(2), begin, n, b.data());
      EXPECT_EQ(a, b);
      plain.pairs(key(2), begin, n, c.data(), d.data());
      other->pairs(key(2), begin, n, e.data(), f.data());
      EXPECT_EQ(c, e);
      EXPECT_EQ(d, f);
      std::vector<float> x(size), y(size);
      plain.uniform(a.data(), n, -3.3f, 9.0f, x.data());
      other->uniform(a.data(), n, -3.3f, 9.0f, y.data());
      EXPECT_TRUE(same(x, y));
      plain.normal(a.data(), n, -0.99999994f, 2.0f, -kInf, kInf, x.data());
      other->normal(a.data(), n, -0.99999994f, 2.0f, -kInf, kInf, y.data());
      EXPECT_TRUE(same(x, y));
      std::vector<float> lo(size, -1.3f), hi(size, 2.7f);
      plain.between(a.data(), n, lo.data(), hi.data(), x.data());
      other->between(a.data(), n, lo.data(), hi.data(), y.data());
      EXPECT_TRUE(same(x, y));
      auto p = std::make_unique<bool[]>(size + 1), q = std::make_unique<bool[]>(size + 1);
      plain.below(a.data(), n, 1u << 22, p.get());
      other->below(a.data(), n, 1u << 22, q.get());
      EXPECT_EQ(std::memcmp(p.get(), q.get(), size), 0);
    }
  }
}

TEST(Kernels, FunctionsAreRight) {
  std::vector<float> in;
  for (int i = -3999; i < 4000; ++i) in.push_back(static_cast<float>(i) / 1000);
  auto check = [&](Function function, double (*exact)(double), double bound, float from, float to) {
    auto out = map(kernels(), function, in);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i] <= from || in[i] >= to) continue;
      double wanted = exact(in[i]);
      EXPECT_NEAR(out[i], wanted, bound * std::abs(wanted)) << in[i];
    }
  };
  check(
      Function::log, [](double x) { return std::log(x); }, 2e-7, 0, 4);
  check(
      Function::log1p, [](double x) { return std::log1p(x); }, 2e-7, -1, 4);
  check(
      Function::erf, [](double x) { return std::erf(x); }, 4e-7, -4, 4);
}

TEST(Kernels, ErfInvUndoesErf) {
  std::vector<float> in;
  for (int i = -999; i < 1000; ++i) in.push_back(static_cast<float>(i) / 1000);
  auto out = map(kernels(), Function::erf_inv, in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_NEAR(std::erf(double{out[i]}), in[i], 1e-6) << in[i];
  }
}

TEST(Kernels, FunctionsAtTheirEnds) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> in = {0, -1, kInf, -kInf, 1, NAN};
  auto log = map(kernels(), Function::log, in);
  EXPECT_EQ(log[0], -kInf);
  EXPECT_TRUE(std::isnan(log[1]));
  EXPECT_EQ(log[2], kInf);
  EXPECT_TRUE(std::isnan(log[3]));
  EXPECT_EQ(log[4], 0);
  EXPECT_TRUE(std::isnan(log[5]));
  EXPECT_EQ(map(kernels(), Function::log1p, in)[1], -kInf);
  EXPECT_EQ(map(kernels(), Function::erf, in)[3], -1);
  auto erf_inv = map(kernels(), Function::erf_inv, in);
  EXPECT_EQ(erf_inv[0], 0);
  EXPECT_EQ(erf_inv[1], -kInf);
  EXPECT_EQ(erf_inv[4], kInf);
}

}  // namespace
}  // namespace kd::random::detail
