// Tests of draws: properties that hold for every key, empty shapes, and arguments that are refused.
// The values themselves are compared with the reference's in tests/golden.
#include "kd/random/sample.h"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "konfig/error.h"

namespace kd::random {
namespace {

using ::testing::HasSubstr;
using Sampler = std::function<Tensor(Shape)>;

const Key kKey = key(42);

std::vector<std::pair<std::string, Sampler>> samplers() {
  std::vector<std::pair<std::string, Sampler>> out;
  for (auto dtype : {at::kByte, at::kUInt16, at::kUInt32, at::kUInt64}) {
    out.emplace_back("bits", [=](Shape s) { return bits(kKey, s, dtype); });
  }
  for (auto dtype : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
    out.emplace_back("uniform", [=](Shape s) { return uniform(kKey, s, -1, 3, dtype); });
    out.emplace_back("normal", [=](Shape s) { return normal(kKey, s, dtype); });
    out.emplace_back("truncated", [=](Shape s) { return truncated_normal(kKey, s, -2, 1, dtype); });
    out.emplace_back("gumbel", [=](Shape s) { return gumbel(kKey, s, dtype); });
    out.emplace_back("exponential", [=](Shape s) { return exponential(kKey, s, dtype); });
    out.emplace_back("laplace", [=](Shape s) { return laplace(kKey, s, dtype); });
    out.emplace_back("logistic", [=](Shape s) { return logistic(kKey, s, dtype); });
    out.emplace_back("cauchy", [=](Shape s) { return cauchy(kKey, s, dtype); });
    out.emplace_back("rayleigh", [=](Shape s) { return rayleigh(kKey, s, 2, dtype); });
  }
  for (auto dtype : {at::kByte, at::kUInt16, at::kUInt32, at::kUInt64, at::kChar, at::kShort,
                     at::kInt, at::kLong}) {
    out.emplace_back("randint", [=](Shape s) { return randint(kKey, s, 3, 77, dtype); });
  }
  out.emplace_back("bernoulli", [](Shape s) { return bernoulli(kKey, s, 0.3); });
  out.emplace_back("rademacher", [](Shape s) { return rademacher(kKey, s); });
  return out;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0;
}

void expect_error(konfig::ErrorKind kind, const std::string& text, const std::function<void()>& f) {
  try {
    f();
    ADD_FAILURE() << "no error; wanted: " << text;
  } catch (const konfig::Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

// Runs f with a number of threads.
Tensor with_threads(int n, const std::function<Tensor()>& f) {
  int before = at::get_num_threads();
  at::set_num_threads(n);
  Tensor out = f();
  at::set_num_threads(before);
  return out;
}

TEST(Sample, LongerDrawsBeginAlike) {
  for (auto& [name, sampler] : samplers()) {
    Tensor longer = sampler({5000});
    for (std::int64_t n : {1, 2, 7, 1023, 1024, 1025}) {
      EXPECT_TRUE(same_bits(sampler({n}), longer.narrow(0, 0, n))) << name << " " << n;
    }
    EXPECT_TRUE(same_bits(sampler({50, 100}), longer.reshape({50, 100}))) << name;
  }
}

TEST(Sample, ThreadsDoNotMatter) {
  for (auto& [name, sampler] : samplers()) {
    auto draw = [&sample = sampler] { return sample({50'003}); };
    EXPECT_TRUE(same_bits(with_threads(1, draw), with_threads(2, draw))) << name;
  }
  Tensor x = at::arange(12'000).reshape({40, 300});
  for (bool independent : {false, true}) {
    auto draw = [&] { return permutation(kKey, x, 1, independent); };
    EXPECT_TRUE(same_bits(with_threads(1, draw), with_threads(2, draw)));
  }
}

TEST(Sample, EmptyAndScalarShapes) {
  for (auto& [name, sampler] : samplers()) {
    EXPECT_EQ(sampler({}).dim(), 0) << name;
    EXPECT_EQ(sampler({}).numel(), 1) << name;
    EXPECT_EQ(sampler({0}).numel(), 0) << name;
    EXPECT_EQ(sampler({3, 0, 2}).sizes(), (std::vector<std::int64_t>{3, 0, 2})) << name;
  }
}

TEST(Sample, ImpossibleShapesAreRefused) {
  for (auto& entry : samplers()) {
    auto& sampler = entry.second;
    expect_error(konfig::ErrorKind::value, "the shape (2, -1) has a negative size", [&] {
      sampler({2, -1});
    });
    expect_error(konfig::ErrorKind::value, "is too large", [&] {
      sampler({std::int64_t{1} << 32, std::int64_t{1} << 31});
    });
    expect_error(konfig::ErrorKind::value, "is too large", [&] {
      sampler({0, std::int64_t{1} << 32, std::int64_t{1} << 31});
    });
  }
}

TEST(Sample, WrongDtypesAreRefused) {
  using konfig::ErrorKind;
  expect_error(ErrorKind::type, "bits: the dtype is one of", [] { bits(kKey, {1}, at::kInt); });
  expect_error(ErrorKind::type, "not int32", [] { uniform(kKey, {1}, 0, 1, at::kInt); });
  expect_error(ErrorKind::type, "normal: the dtype is one of",
               [] { normal(kKey, {1}, at::kBool); });
  expect_error(ErrorKind::type, "randint: the dtype", [] { randint(kKey, {1}, 0, 1, at::kFloat); });
  expect_error(ErrorKind::type, "bernoulli: p: the dtype",
               [] { bernoulli(kKey, {1}, at::zeros({1}, at::kInt)); });
}

TEST(Sample, UniformStaysInItsRange) {
  for (auto dtype : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
    Tensor u = uniform(kKey, {100'000}, 0, 1, dtype).to(at::kDouble);
    EXPECT_GE(u.min().item<double>(), 0);
    EXPECT_LT(u.max().item<double>(), 1);
    EXPECT_NEAR(u.mean().item<double>(), 0.5, 0.005);
  }
  EXPECT_TRUE(at::equal(uniform(kKey, {9}, 5, 5), at::full({9}, 5.0f)));
}

TEST(Sample, NormalHasItsMoments) {
  for (auto dtype : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
    Tensor x = normal(kKey, {200'000}, dtype).to(at::kDouble);
    // A bfloat16 takes one of 128 values, which are not quite symmetric.
    double bound = dtype == at::kBFloat16 ? 0.02 : 0.01;
    EXPECT_NEAR(x.mean().item<double>(), 0, bound);
    EXPECT_NEAR(x.std().item<double>(), 1, bound);
    EXPECT_TRUE(x.isfinite().all().item<bool>());
  }
}

TEST(Sample, TruncatedNormalIsStrictlyInside) {
  for (auto dtype : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
    for (auto [lo, hi] : {std::pair{-2.0, 2.0}, {0.5, 0.625}, {3.0, 4.0}}) {
      Tensor x = truncated_normal(kKey, {5'000}, lo, hi, dtype).to(at::kDouble);
      EXPECT_GT(x.min().item<double>(), lo);
      EXPECT_LT(x.max().item<double>(), hi);
      Tensor bounds = at::tensor({lo, hi}, at::kDouble);
      Tensor by_tensor = truncated_normal(kKey, {5'000}, bounds[0], bounds[1], dtype);
      EXPECT_TRUE(at::equal(by_tensor.to(at::kDouble), x)) << c10::toString(dtype) << " " << lo;
    }
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_LT(truncated_normal(kKey, {1000}, -kInf, 0).max().item<float>(), 0);
}

TEST(Sample, BoundsBroadcast) {
  Tensor lo = at::tensor({0.0f, 10.0f, 20.0f}), hi = at::tensor({1.0f, 11.0f, 21.0f});
  Tensor x = uniform(kKey, {100, 3}, lo, hi);
  EXPECT_TRUE(x.ge(lo).logical_and(x.le(hi)).all().item<bool>());
  EXPECT_TRUE(same_bits(uniform(kKey, {7}, at::tensor({-3.5}), at::tensor({2.25})),
                        uniform(kKey, {7}, -3.5, 2.25)));
  expect_error(konfig::ErrorKind::value, "uniform: lo of shape (3) does not broadcast to (4)",
               [&] { uniform(kKey, {4}, lo, hi); });
  expect_error(konfig::ErrorKind::value, "randint: hi of shape (3) does not broadcast to ()",
               [&] { randint(kKey, {}, at::zeros({}), hi); });
}

TEST(Sample, BernoulliIsUniformBelowP) {
  Tensor u = uniform(kKey, {50'000});
  for (double p : {0.0, 1e-7, 0.1, 0.3, 0.5, 0.999999, 1.0, 2.0, -1.0}) {
    Tensor wanted = u.lt(static_cast<float>(p));
    EXPECT_TRUE(same_bits(bernoulli(kKey, {50'000}, p), wanted)) << p;
    EXPECT_TRUE(same_bits(bernoulli(kKey, {50'000}, at::full({}, p, at::kFloat)), wanted)) << p;
  }
  EXPECT_FALSE(bernoulli(kKey, {100}, std::nan("")).any().item<bool>());
  // Fine probabilities: 1e-3 of 2**-23 never comes in low precision, and is right in high.
  Tensor rare = bernoulli(kKey, {100'000}, 0.25, Precision::high);
  EXPECT_NEAR(rare.to(at::kDouble).mean().item<double>(), 0.25, 0.01);
}

TEST(Sample, RandintStaysInItsRange) {
  for (auto dtype : {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong}) {
    Tensor x = randint(kKey, {10'000}, 5, 17, dtype).to(at::kLong);
    EXPECT_EQ(x.min().item<std::int64_t>(), 5);
    EXPECT_EQ(x.max().item<std::int64_t>(), 16);
  }
  EXPECT_TRUE(randint(kKey, {10}, 7, 7).eq(7).all().item<bool>());
  EXPECT_TRUE(randint(kKey, {10}, 7, -7).eq(7).all().item<bool>());
}

TEST(Sample, RandintBoundsAreMovedToTheType) {
  Tensor bytes = randint(kKey, {10'000}, -1000, 1000, at::kByte);
  EXPECT_TRUE(same_bits(bytes, randint(kKey, {10'000}, 0, 256, at::kByte)));
  EXPECT_EQ(bytes.max().item<std::int64_t>(), 255);
  Tensor small = randint(kKey, {10'000}, -128, 128, at::kChar);
  EXPECT_EQ(small.min().item<std::int64_t>(), -128);
  EXPECT_EQ(small.max().item<std::int64_t>(), 127);
  // The whole of 32 bits: nothing is reduced.
  Tensor whole = randint(kKey, {100}, 0, std::int64_t{1} << 32, at::kUInt32);
  EXPECT_TRUE(same_bits(whole, bits(split(kKey, 2)[1], {100})));
}

TEST(Sample, PermutationIsOne) {
  for (std::int64_t n : {0, 1, 2, 3, 100, 1023, 1024, 1625, 1626, 5000}) {
    Tensor p = permutation(kKey, n);
    EXPECT_EQ(p.scalar_type(), at::kInt);
    EXPECT_TRUE(at::equal(std::get<0>(at::sort(p)), at::arange(n, at::kInt))) << n;
  }
  EXPECT_FALSE(at::equal(permutation(kKey, 100), at::arange(100, at::kInt)));
  expect_error(konfig::ErrorKind::value, "not -1", [] { permutation(kKey, -1); });
}

TEST(Sample, PermutationOfTensors) {
  Tensor x = at::arange(24).reshape({4, 6});
  Tensor rows = permutation(kKey, x);
  EXPECT_TRUE(at::equal(std::get<0>(at::sort(rows, 0)), x));
  EXPECT_TRUE(at::equal(rows.select(1, 0).add(5), rows.select(1, 5)));  // rows stay whole
  Tensor each = permutation(kKey, x, -1, true);
  EXPECT_TRUE(at::equal(std::get<0>(at::sort(each, -1)), x));
  EXPECT_FALSE(at::equal(each[0], each[1].sub(6)));
  EXPECT_EQ(permutation(kKey, at::zeros({0, 3})).numel(), 0);
  EXPECT_EQ(permutation(kKey, at::zeros({3, 0}), 0, true).numel(), 0);
  expect_error(konfig::ErrorKind::index, "no axis 2 in shape (4, 6)",
               [&] { permutation(kKey, x, 2); });
  expect_error(konfig::ErrorKind::value, "a scalar", [] { permutation(kKey, at::zeros({})); });
}

TEST(Sample, ChoiceWithoutReplacementRepeatsNothing) {
  Tensor p = at::full({50}, 0.02f);
  for (auto& how : {Choice{.replace = false}, Choice{.replace = false, .p = p}}) {
    Tensor all = choice(kKey, 50, {50}, how);
    EXPECT_TRUE(at::equal(std::get<0>(at::sort(all)), at::arange(50, at::kInt)));
  }
}

TEST(Sample, ChoiceFollowsItsProbabilities) {
  Tensor p = at::tensor({0.0f, 0.25f, 0.75f, 0.0f});
  Tensor x = choice(kKey, 4, {100'000}, {.p = p});
  EXPECT_FALSE(x.eq(0).any().item<bool>());
  EXPECT_FALSE(x.eq(3).any().item<bool>());
  EXPECT_NEAR(x.eq(2).to(at::kDouble).mean().item<double>(), 0.75, 0.01);
}

TEST(Sample, ChoiceOfSlices) {
  Tensor x = at::arange(12).reshape({3, 4});
  Tensor chosen = choice(kKey, x, {2, 5}, {.axis = 1});
  EXPECT_EQ(chosen.sizes(), (std::vector<std::int64_t>{3, 2, 5}));
  EXPECT_TRUE(at::equal(chosen[0].add(4), chosen[1]));  // whole columns
  EXPECT_EQ(choice(kKey, x, {0}).numel(), 0);
}

TEST(Sample, ImpossibleChoicesAreRefused) {
  using konfig::ErrorKind;
  expect_error(ErrorKind::value, "nothing to choose from", [] { choice(kKey, 0, {1}); });
  EXPECT_EQ(choice(kKey, 0, {0}).numel(), 0);
  expect_error(ErrorKind::value, "cannot take 4 of 3 without replacement", [] {
    choice(kKey, 3, {2, 2}, {.replace = false});
  });
  expect_error(ErrorKind::value, "p has shape (2), wanted (3)",
               [] { choice(kKey, 3, {1}, {.p = at::zeros({2})}); });
  expect_error(ErrorKind::index, "no axis 1",
               [] { choice(kKey, at::zeros({3}), {1}, {.axis = 1}); });
}

TEST(Sample, CategoricalFollowsItsLogits) {
  Tensor logits = at::tensor({0.1f, 0.2f, 0.7f}).log();
  for (auto precision : {Precision::low, Precision::high}) {
    Categorical how{.shape = std::vector<std::int64_t>{50'000}, .precision = precision};
    Tensor x = categorical(kKey, logits, how);
    EXPECT_EQ(x.scalar_type(), at::kInt);
    EXPECT_NEAR(x.eq(2).to(at::kDouble).mean().item<double>(), 0.7, 0.01);
  }
  Categorical all{.shape = std::vector<std::int64_t>{3}, .replace = false};
  EXPECT_TRUE(
      at::equal(std::get<0>(at::sort(categorical(kKey, logits, all))), at::arange(3, at::kInt)));
}

TEST(Sample, ImpossibleCategoriesAreRefused) {
  using konfig::ErrorKind;
  Tensor logits = at::zeros({2, 3});
  auto shape = [](std::vector<std::int64_t> s) { return s; };
  expect_error(ErrorKind::value, "does not end with (2)",
               [&] { categorical(kKey, logits, {.shape = shape({5})}); });
  expect_error(ErrorKind::value, "cannot take 4 of 3 categories", [&] {
    categorical(kKey, logits, {.shape = shape({4, 2}), .replace = false});
  });
  expect_error(ErrorKind::index, "no axis 2", [&] { categorical(kKey, logits, {.axis = 2}); });
  expect_error(ErrorKind::value, "no categories", [] { categorical(kKey, at::zeros({2, 0})); });
}

TEST(Sample, OrthogonalMatrices) {
  for (auto [n, m] : {std::pair{5, 5}, {3, 7}, {7, 3}}) {
    Tensor x = orthogonal(kKey, n, m, {2}, at::kDouble);
    EXPECT_EQ(x.sizes(), (std::vector<std::int64_t>{2, n, m}));
    Tensor square = n <= m ? at::matmul(x, x.transpose(1, 2)) : at::matmul(x.transpose(1, 2), x);
    Tensor one = at::eye(std::min(n, m), at::kDouble).expand_as(square);
    EXPECT_TRUE(square.sub(one).abs().max().item<double>() < 1e-12);
  }
}

TEST(Sample, ModesDiffer) {
  Tensor x = bits(kKey, {8}), y = bits(kKey, {8}, at::kUInt32, Mode::original);
  EXPECT_FALSE(same_bits(x, y));
  EXPECT_FALSE(same_bits(y, bits(kKey, {10}, at::kUInt32, Mode::original).narrow(0, 0, 8)));
  expect_error(konfig::ErrorKind::unsupported, "fewer than 2**32 words",
               [] { bits(kKey, {std::int64_t{1} << 31}, at::kUInt64, Mode::original); });
}

}  // namespace
}  // namespace kd::random
