// Permutations, and choices among things.
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/shape_text.h"
#include "kd/random/sample.h"
#include "kd/random/source_impl.h"
#include "kd/random/special.h"
#include "konfig/error.h"

namespace kd::random {
namespace {

using konfig::Error;
using konfig::ErrorKind;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::value, what); }

std::int64_t checked_axis(const char* what, const Tensor& x, std::int64_t axis) {
  if (axis < -x.dim() || axis >= x.dim()) {
    throw Error(ErrorKind::index, std::string(what) + ": no axis " + std::to_string(axis) +
                                      " in shape " + base::shape_text(x.sizes()));
  }
  return axis < 0 ? axis + x.dim() : axis;
}

// Sorting by 32 random bits once leaves ties in order; the more elements, the more rounds.
int rounds_for(std::int64_t size) {
  double bits = std::log(static_cast<double>(std::numeric_limits<std::uint32_t>::max()));
  return static_cast<int>(
      std::ceil(3 * std::log(static_cast<double>(std::max<std::int64_t>(1, size))) / bits));
}

// Sorts by the upper 32 bits, stably: 11 bits at a time for many elements.
void sort_by_upper(std::vector<std::uint64_t>& items, std::vector<std::uint64_t>& buffer) {
  if (items.size() < 1024) return std::sort(items.begin(), items.end());
  buffer.resize(items.size());
  for (int shift : {32, 43, 54}) {
    std::size_t starts[2048 + 1] = {};
    for (auto item : items) ++starts[(item >> shift & 2047) + 1];
    std::partial_sum(std::begin(starts), std::end(starts), std::begin(starts));
    for (auto item : items) buffer[starts[item >> shift & 2047]++] = item;
    items.swap(buffer);
  }
}

// Memory that is used again for each line.
struct Work {
  std::vector<std::uint32_t> order, old;
  std::vector<std::uint64_t> items, buffer;
};

// Sorts `order` by the words, stably.
void sort_by(const std::uint32_t* words, std::int64_t stride, Work& work) {
  std::size_t n = work.order.size();
  work.items.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    work.items[i] = std::uint64_t{words[static_cast<std::int64_t>(i) * stride]} << 32 | i;
  }
  sort_by_upper(work.items, work.buffer);
  work.old = work.order;
  for (std::size_t i = 0; i < n; ++i) work.order[i] = work.old[work.items[i] & 0xffffffffu];
}

// For each line of a tensor of this shape along the axis, the order of its elements, as Long.
Tensor shuffled(const Key& key, Shape shape, std::int64_t axis, Mode mode) {
  std::int64_t size = detail::count_of("permutation", shape);
  std::int64_t length = shape[axis], stride = 1;
  for (auto i = axis + 1; i < static_cast<std::int64_t>(shape.size()); ++i) stride *= shape[i];
  if (length > std::numeric_limits<std::uint32_t>::max()) {
    fail("permutation: " + std::to_string(length) + " elements are too many; the limit is 2**32");
  }
  Tensor out = at::empty(shape, at::TensorOptions(at::kLong));
  if (size == 0) return out;

  std::vector<Tensor> words;
  Key rest = key;
  for (int i = rounds_for(size); i > 0; --i) {
    auto keys = split(rest, 2, mode);
    rest = keys[0];
    words.push_back(bits(keys[1], shape, at::kUInt32, mode));
  }
  auto* to = out.mutable_data_ptr<std::int64_t>();
  std::int64_t lines = size / length;
  parallel_for(lines, std::max<std::int64_t>(1, 4096 / length),
               [&](std::int64_t begin, std::int64_t end) {
                 Work work;
                 work.order.resize(static_cast<std::size_t>(length));
                 for (std::int64_t line = begin; line < end; ++line) {
                   std::int64_t at = line / stride * stride * length + line % stride;
                   std::iota(work.order.begin(), work.order.end(), 0u);
                   for (const Tensor& w : words) {
                     sort_by(w.const_data_ptr<std::uint32_t>() + at, stride, work);
                   }
                   for (std::int64_t i = 0; i < length; ++i) to[at + i * stride] = work.order[i];
                 }
               });
  return out;
}

// Sums of the first elements, added in the order of the reference: pairs, then pairs of pairs.
std::vector<float> running_sums(const std::vector<float>& x) {
  std::size_t n = x.size();
  if (n < 2) return x;
  std::vector<float> pairs(n / 2);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = x[2 * i] + x[2 * i + 1];
  std::vector<float> odd = running_sums(pairs), out(n);
  out[0] = x[0];
  for (std::size_t i = 1; i < n; ++i) {
    out[i] = i % 2 == 1 ? odd[i / 2] : odd[i / 2 - 1] + x[i];
  }
  return out;
}

// The positions of the k largest along the last axis, the first of equal ones first.
Tensor largest(const Tensor& x, std::int64_t k) {
  Tensor indices = std::get<1>(at::sort(x, /*stable=*/true, /*dim=*/-1, /*descending=*/true));
  return indices.narrow(-1, 0, k);
}

// Indices by probability.
Tensor weighted(const Key& key, std::int64_t n, Shape shape, const Choice& how) {
  Tensor p = how.p->detach().to(at::kFloat).contiguous();
  if (p.dim() != 1 || p.numel() != n) {
    fail("choice: p has shape " + base::shape_text(p.sizes()) + ", wanted (" + std::to_string(n) +
         "), one for each to choose from");
  }
  if (!how.replace) {
    Tensor score = gumbel(key, {n}, at::kFloat, how.precision).add_(log(p));
    return largest(score, detail::count_of("choice", shape)).reshape(shape);
  }
  auto* begin = p.const_data_ptr<float>();
  auto sums = running_sums({begin, begin + n});
  Tensor r = at::rsub(uniform(key, shape), 1).mul_(sums.back());
  Tensor out = at::empty(shape, at::TensorOptions(at::kLong));
  auto* from = r.const_data_ptr<float>();
  auto* to = out.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < r.numel(); ++i) {
    to[i] = std::lower_bound(sums.begin(), sums.end(), from[i]) - sums.begin();
  }
  return out;
}

// Indices below n, as Long.
Tensor chosen(const Key& key, std::int64_t n, Shape shape, const Choice& how) {
  std::int64_t draws = detail::count_of("choice", shape);
  if (draws == 0) return at::zeros(shape, at::TensorOptions(at::kLong));
  if (n <= 0) fail("choice: there is nothing to choose from");
  if (!how.replace && draws > n) {
    fail("choice: cannot take " + std::to_string(draws) + " of " + std::to_string(n) +
         " without replacement");
  }
  if (how.p) return weighted(key, n, shape, how);
  if (how.replace) return randint(key, shape, 0, n).to(at::kLong);
  return shuffled(key, {n}, 0, Mode::partitionable).narrow(0, 0, draws).reshape(shape);
}

}  // namespace

Tensor permutation(const Key& key, std::int64_t n, Mode mode) {
  if (n < 0 || n > std::numeric_limits<std::int32_t>::max()) {
    fail("permutation: n is from 0 to 2**31 - 1, not " + std::to_string(n));
  }
  return shuffled(key, {n}, 0, mode).to(at::kInt);
}

Tensor permutation(const Key& key, const Tensor& x, std::int64_t axis, bool independent,
                   Mode mode) {
  if (x.dim() == 0) fail("permutation: a scalar has no axis to permute");
  axis = checked_axis("permutation", x, axis);
  if (independent) return x.gather(axis, shuffled(key, x.sizes(), axis, mode));
  return at::index_select(x, axis, shuffled(key, {x.size(axis)}, 0, mode));
}

Tensor choice(const Key& key, std::int64_t n, Shape shape, const Choice& how) {
  return chosen(key, n, shape, how).to(at::kInt);
}

Tensor choice(const Key& key, const Tensor& from, Shape shape, const Choice& how) {
  if (from.dim() == 0) fail("choice: a scalar tensor has nothing to choose from; give a number");
  std::int64_t axis = checked_axis("choice", from, how.axis);
  if (detail::count_of("choice", shape) == 0) return at::zeros(shape, from.options());
  Tensor indices = chosen(key, from.size(axis), shape, how);
  auto sizes = from.sizes();
  std::vector<std::int64_t> out(sizes.begin(), sizes.begin() + axis);
  out.insert(out.end(), shape.begin(), shape.end());
  out.insert(out.end(), sizes.begin() + axis + 1, sizes.end());
  return at::index_select(from, axis, indices.reshape(-1)).reshape(out);
}

Tensor categorical(const Key& key, const Tensor& logits, const Categorical& how) {
  if (logits.dim() == 0) fail("categorical: logits need an axis of categories");
  std::int64_t axis = checked_axis("categorical", logits, how.axis);
  std::vector<std::int64_t> batch = logits.sizes().vec();
  std::int64_t categories = batch[axis];
  batch.erase(batch.begin() + axis);
  std::vector<std::int64_t> shape = how.shape.value_or(batch);
  detail::count_of("categorical", shape);
  bool fits = shape.size() >= batch.size();
  std::size_t before = fits ? shape.size() - batch.size() : 0;
  for (std::size_t i = 0; fits && i < batch.size(); ++i) {
    fits = batch[i] == shape[before + i] || (how.replace && batch[i] == 1);
  }
  if (!fits) {
    fail("categorical: the shape " + base::shape_text(shape) + " does not end with " +
         base::shape_text(batch) + ", the shape of the logits without the categories");
  }
  if (categories == 0) fail("categorical: there are no categories");

  if (how.replace) {
    std::vector<std::int64_t> drawn = shape;
    drawn.insert(drawn.begin() + static_cast<std::int64_t>(before) + axis, categories);
    Tensor score = at::add(gumbel(key, drawn, logits.scalar_type(), how.precision), logits);
    return at::argmax(score, static_cast<std::int64_t>(before) + axis).to(at::kInt);
  }
  std::int64_t k = 1;
  for (std::size_t i = 0; i < before; ++i) k *= shape[i];
  if (k > categories) {
    fail("categorical: cannot take " + std::to_string(k) + " of " + std::to_string(categories) +
         " categories without replacement");
  }
  Tensor score = at::add(gumbel(key, logits.sizes(), logits.scalar_type(), how.precision), logits);
  return largest(score.movedim(axis, -1), k).movedim(-1, 0).reshape(shape).to(at::kInt);
}

}  // namespace kd::random
