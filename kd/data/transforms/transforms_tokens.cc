// Tokens that stay.
#include "kd/data/transforms/transforms_tokens.h"

#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/shape_text.h"
#include "kd/data/engine/transform.h"
#include "kd/data/transforms/contrib_impl.h"
#include "kd/einops/einops.h"

namespace kd::data::contrib {

namespace {

using Indices = std::vector<std::int64_t>;

void check_ratio(double ratio) {
  if (ratio >= 0 && ratio <= 1) return;
  throw Error(ErrorKind::value, "drop_ratio",
              "expected a number from 0 to 1, got " + std::to_string(ratio));
}

// `kept` of the numbers below n.
Indices chosen(std::int64_t n, std::int64_t kept, bool shuffle, Generator& rng) {
  Indices all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  if (shuffle && kept < n) rng.shuffle(all);
  all.resize(static_cast<std::size_t>(kept));
  return all;
}

Tensor as_int32(const Indices& indices) { return at::tensor(indices, at::kInt); }

}  // namespace

void RandomDropTokens::check() const { check_ratio(*drop_ratio); }

Tree RandomDropTokens::random_map(Tree record, const Generator& rng) const {
  const Tensor tokens = detail::element_of(record, *key, "key").tensor();
  if (tokens.dim() != 2 && tokens.dim() != 3) {
    throw Error(ErrorKind::value, *key,
                "expected tokens (n, d) or (batch, n, d), got the shape " +
                    base::tuple_text(tokens.sizes()));
  }
  const bool batched = tokens.dim() == 3;
  auto rows = [&](const Tensor& x) { return batched ? x : x.unsqueeze(0); };
  const Tensor from = rows(tokens);
  Tensor excluded;
  if (key_exclude_indices) {
    excluded =
        rows(detail::element_of(record, *key_exclude_indices, "key_exclude_indices").tensor());
  }
  const std::int64_t n = from.size(1);
  const auto kept = static_cast<std::int64_t>(static_cast<double>(n) * (1.0 - *drop_ratio));
  Generator draw = rng;
  std::vector<Tensor> parts, numbers;
  for (std::int64_t row = 0; row < from.size(0); ++row) {
    Indices left(static_cast<std::size_t>(n));
    std::iota(left.begin(), left.end(), 0);
    if (excluded.defined()) {
      const Tensor out = excluded[row].to(at::kLong).contiguous();
      const std::set<std::int64_t> without(out.const_data_ptr<std::int64_t>(),
                                           out.const_data_ptr<std::int64_t>() + out.numel());
      std::erase_if(left, [&](std::int64_t i) { return without.contains(i); });
    }
    const auto available = static_cast<std::int64_t>(left.size());
    if (available < kept) {
      throw Error(ErrorKind::value, "key_exclude_indices",
                  std::to_string(kept) + " tokens are to stay, but only " +
                      std::to_string(available) + " of " + std::to_string(n) + " may");
    }
    Indices indices = chosen(available, kept, shuffle_tokens, draw);
    for (std::int64_t& i : indices) i = left[static_cast<std::size_t>(i)];
    parts.push_back(detail::take(from[row], 0, indices));
    if (batched && offset_indices) {
      for (std::int64_t& i : indices) i += row * n;
    }
    numbers.push_back(as_int32(indices));
  }
  record[*key] = batched ? at::stack(parts) : parts[0];
  record[*key + "_indices"] = batched ? at::stack(numbers) : numbers[0];
  return record;
}

void SubsampleAndFlatten::check() const {
  check_ratio(*drop_ratio);
  for (std::size_t i = 0; i < sample_dims.size(); ++i) {
    const bool rises = i == 0 || sample_dims[i] > sample_dims[i - 1];
    if (!rises || sample_dims[i] < 0 || sample_dims[i] >= flatten_up_to) {
      throw Error(ErrorKind::value, "sample_dims",
                  "expected dimensions in order, from 0 to below flatten_up_to=" +
                      std::to_string(flatten_up_to) + ", got " + base::tuple_text(sample_dims));
    }
  }
}

Tree SubsampleAndFlatten::random_map(Tree record, const Generator& rng) const {
  const Tensor element = detail::element_of(record, *key, "key").tensor();
  if (element.dim() < flatten_up_to) {
    throw Error(ErrorKind::value, "flatten_up_to",
                std::to_string(flatten_up_to) + " dimensions, but '" + *key + "' has the shape " +
                    base::tuple_text(element.sizes()));
  }
  std::vector<std::size_t> sampled(sample_dims.begin(), sample_dims.end()), others;
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(flatten_up_to); ++dim) {
    if (std::ranges::find(sampled, dim) == sampled.end()) others.push_back(dim);
  }
  // The order of the reference's grid: its first two dimensions are swapped.
  if (others.size() > 1) std::swap(others[0], others[1]);
  auto places = [&](const std::vector<std::size_t>& dims) {
    std::int64_t out = 1;
    for (std::size_t dim : dims) out *= element.size(static_cast<std::int64_t>(dim));
    return out;
  };
  // What place number `i` along these dimensions adds to the number of an entry.
  auto offset = [&](const std::vector<std::size_t>& dims, std::int64_t i) {
    std::int64_t out = 0;
    for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
      std::int64_t stride = 1;
      for (auto d = static_cast<std::int64_t>(*dim) + 1; d < flatten_up_to; ++d) {
        stride *= element.size(d);
      }
      const std::int64_t size = element.size(static_cast<std::int64_t>(*dim));
      out += i % size * stride;
      i /= size;
    }
    return out;
  };
  const std::int64_t n = places(sampled), each = places(others);
  const auto dropped = static_cast<std::int64_t>(static_cast<double>(n) * *drop_ratio);
  Generator draw = rng;
  Indices indices;
  for (std::int64_t place : chosen(n, n - dropped, shuffle_tokens, draw)) {
    for (std::int64_t i = 0; i < each; ++i) {
      indices.push_back(offset(sampled, place) + offset(others, i));
    }
  }
  record[*key] = detail::take(element.flatten(0, flatten_up_to - 1), 0, indices);
  record[*key + "_indices"] = as_int32(indices);
  return record;
}

Tree MaskedVideoVisualization::map(Tree record) const {
  const Tensor patches =
      detail::element_of(record, *sparse_patches_key, "sparse_patches_key").tensor();
  const Tensor indices =
      detail::element_of(record, *indices_key, "indices_key").tensor().to(at::kLong);
  const auto& [t, h, w] = *grid_shape;
  const auto& [pt, ph, pw] = *patch_shape;
  const std::int64_t numbers = std::int64_t{pt} * ph * pw * channels;
  if (patches.dim() != 2 || patches.size(1) != numbers || indices.dim() != 1 ||
      indices.size(0) != patches.size(0)) {
    throw Error(ErrorKind::value, *sparse_patches_key,
                "expected patches (n, " + std::to_string(numbers) +
                    ") and their places (n,), got " + base::tuple_text(patches.sizes()) + " and " +
                    base::tuple_text(indices.sizes()));
  }
  Tensor all = at::full({std::int64_t{t} * h * w, numbers}, fill_value, patches.options());
  all.index_copy_(0, indices, patches);
  record[*output_key] =
      einops::rearrange(all, "(t h w) (pt ph pw c) -> (t pt) (h ph) (w pw) c",
                        {{"t", t}, {"h", h}, {"w", w}, {"pt", pt}, {"ph", ph}, {"pw", pw}});
  return record;
}

}  // namespace kd::data::contrib
