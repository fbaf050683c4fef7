// Random tensors: the same key, shape and dtype give the same values, bit for bit those of JAX, on
// any number of threads.
//
//   Tensor kernel = random::normal(key, {784, 128});
//   Tensor mask = random::bernoulli(key, {8, 128}, 0.9);
//   Tensor order = random::permutation(key, 60000);
//
// A longer draw begins with the values of a shorter one. Tensors are in the memory of the CPU.
#pragma once

#include <cstdint>
#include <optional>

#include "kd/core/tensor.h"
#include "kd/random/key.h"

namespace kd::random {

using at::ScalarType;
using Shape = at::IntArrayRef;

// Random bits, of an unsigned dtype.
Tensor bits(const Key& key, Shape shape, ScalarType dtype = at::kUInt32,
            Mode mode = Mode::partitionable);

// ---- Floats. The dtype is Float, Double, BFloat16 or Half. --------------------------------------

// From lo to hi, without hi but for rounding.
Tensor uniform(const Key& key, Shape shape, double lo = 0, double hi = 1,
               ScalarType dtype = at::kFloat, Mode mode = Mode::partitionable);
// With bounds for each element; they broadcast to the shape.
Tensor uniform(const Key& key, Shape shape, const Tensor& lo, const Tensor& hi,
               ScalarType dtype = at::kFloat, Mode mode = Mode::partitionable);

// With mean 0 and deviation 1.
Tensor normal(const Key& key, Shape shape, ScalarType dtype = at::kFloat,
              Mode mode = Mode::partitionable);
// A normal that lies strictly between lo and hi. The deviation is smaller than 1 by the cut.
Tensor truncated_normal(const Key& key, Shape shape, double lo, double hi,
                        ScalarType dtype = at::kFloat, Mode mode = Mode::partitionable);
Tensor truncated_normal(const Key& key, Shape shape, const Tensor& lo, const Tensor& hi,
                        ScalarType dtype = at::kFloat, Mode mode = Mode::partitionable);

// `high` draws twice as many bits: probabilities below 1e-7 come out right in float32.
enum class Precision : std::uint8_t { low, high };

Tensor gumbel(const Key& key, Shape shape, ScalarType dtype = at::kFloat,
              Precision precision = Precision::low);
Tensor exponential(const Key& key, Shape shape, ScalarType dtype = at::kFloat);
Tensor laplace(const Key& key, Shape shape, ScalarType dtype = at::kFloat);
Tensor logistic(const Key& key, Shape shape, ScalarType dtype = at::kFloat);
Tensor cauchy(const Key& key, Shape shape, ScalarType dtype = at::kFloat);
Tensor rayleigh(const Key& key, Shape shape, const Tensor& scale, ScalarType dtype = at::kFloat);
Tensor rayleigh(const Key& key, Shape shape, double scale = 1, ScalarType dtype = at::kFloat);

// Matrices of n rows and m columns (n by default) whose rows or columns, the fewer of them, are
// orthonormal; `shape` are the dimensions before.
Tensor orthogonal(const Key& key, std::int64_t n, std::optional<std::int64_t> m = {},
                  Shape shape = {}, ScalarType dtype = at::kFloat);

// ---- Choices ------------------------------------------------------------------------------------

// true with probability p. A tensor p broadcasts to the shape, and draws in its own dtype.
Tensor bernoulli(const Key& key, Shape shape, double p = 0.5, Precision precision = Precision::low);
Tensor bernoulli(const Key& key, Shape shape, const Tensor& p,
                 Precision precision = Precision::low);
// -1 or 1.
Tensor rademacher(const Key& key, Shape shape, ScalarType dtype = at::kInt);

// From lo to hi - 1, of an integer dtype; lo where hi is not above it. Bounds outside the dtype are
// moved to its ends; hi may be one past them.
Tensor randint(const Key& key, Shape shape, std::int64_t lo, std::int64_t hi,
               ScalarType dtype = at::kInt, Mode mode = Mode::partitionable);
Tensor randint(const Key& key, Shape shape, const Tensor& lo, const Tensor& hi,
               ScalarType dtype = at::kInt, Mode mode = Mode::partitionable);

// 0 to n - 1 in random order, as Int.
Tensor permutation(const Key& key, std::int64_t n, Mode mode = Mode::partitionable);
// The slices of x along an axis in random order; with `independent`, each line in its own order.
Tensor permutation(const Key& key, const Tensor& x, std::int64_t axis = 0, bool independent = false,
                   Mode mode = Mode::partitionable);

// How `choice` chooses.
struct Choice {
  bool replace = true;           // the same one may come again
  std::optional<Tensor> p = {};  // a probability for each; equal ones by default
  std::int64_t axis = 0;         // along which slices of a tensor are chosen
  Precision precision = Precision::low;
};
// Of 0 to n - 1, or of the slices of a tensor.
Tensor choice(const Key& key, std::int64_t n, Shape shape, const Choice& how = {});
Tensor choice(const Key& key, const Tensor& from, Shape shape, const Choice& how = {});

// How `categorical` chooses.
struct Categorical {
  std::int64_t axis = -1;                               // the axis of the categories
  std::optional<std::vector<std::int64_t>> shape = {};  // logits' without the axis by default
  bool replace = true;
  Precision precision = Precision::low;
};
// Indices of categories, given unnormalised log probabilities, as Int.
Tensor categorical(const Key& key, const Tensor& logits, const Categorical& how = {});

}  // namespace kd::random
