// Windows: sizes and padding.
#include <ATen/ops/constant_pad_nd.h>

#include <algorithm>
#include <cctype>

#include "base/shape_text.h"
#include "kd/nn/window_impl.h"

namespace kd::nn::detail {

Dims per_dimension(const OptionalInts& setting, std::size_t rank, const char* field) {
  Dims out = setting.repeated(rank);
  if (out.size() != rank) {
    fail(std::string(field) + " " + base::tuple_text(out) +
         " must have as many entries as the window: " + std::to_string(rank));
  }
  for (auto value : out) {
    if (value < 1) fail(std::string(field) + " " + base::tuple_text(out) + " must be positive");
  }
  return out;
}

std::string kind_of(const Padding& padding) {
  auto* text = std::get_if<std::string>(&padding);
  if (!text) return "";
  std::string kind = *text;
  for (char& c : kind) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return kind;
}

namespace {

Pads same_pads(at::IntArrayRef sizes, const Window& window, bool lower) {
  Pads out;
  for (std::size_t i = 0; i < window.rank(); ++i) {
    std::int64_t size = sizes[i] == 0 ? 0 : (sizes[i] - 1) * window.spread[i] + 1;
    std::int64_t stride = window.strides[i], count = (size + stride - 1) / stride;
    std::int64_t total = std::max<std::int64_t>((count - 1) * stride + window.reach(i) - size, 0);
    std::int64_t less = total / 2, more = total - less;
    out.emplace_back(lower ? more : less, lower ? less : more);
  }
  return out;
}

}  // namespace

Pads pads_of(const Padding& padding, at::IntArrayRef sizes, const Window& window) {
  if (auto* all = std::get_if<std::int64_t>(&padding)) return Pads(window.rank(), {*all, *all});
  if (auto* each = std::get_if<std::vector<Pad>>(&padding)) {
    if (each->size() != window.rank()) {
      fail("padding has " + std::to_string(each->size()) + " entries, the window has " +
           std::to_string(window.rank()) + " dimension(s)");
    }
    Pads out;
    for (const Pad& pad : *each) out.push_back(pad.sides());
    return out;
  }
  std::string kind = kind_of(padding);
  if (kind == "VALID") return Pads(window.rank(), {0, 0});
  if (kind == "SAME" || kind == "SAME_LOWER") return same_pads(sizes, window, kind != "SAME");
  fail("padding \"" + std::get<std::string>(padding) +
       "\" is not known here; use \"SAME\", \"VALID\" or numbers");
}

Dims places(at::IntArrayRef sizes, const Window& window, const Pads& pads) {
  Dims out;
  for (std::size_t i = 0; i < window.rank(); ++i) {
    std::int64_t spread = sizes[i] == 0 ? 0 : (sizes[i] - 1) * window.spread[i] + 1;
    std::int64_t size = spread + pads[i].first + pads[i].second;
    if (sizes[i] == 0 && size < window.reach(i)) {
      out.push_back(0);
      continue;
    }
    if (size < window.reach(i)) {
      fail("the window reaches over " + std::to_string(window.reach(i)) +
           " elements of dimension " + std::to_string(i) + ", which has " +
           std::to_string(std::max<std::int64_t>(size, 0)) + " with padding");
    }
    out.push_back((size - window.reach(i)) / window.strides[i] + 1);
  }
  return out;
}

Tensor padded(const Tensor& x, const Pads& pads, double value) {
  Dims flat;  // the last dimension comes first
  for (auto i = pads.size(); i-- > 0;) {
    flat.push_back(pads[i].first);
    flat.push_back(pads[i].second);
  }
  bool none = std::all_of(flat.begin(), flat.end(), [](auto n) { return n == 0; });
  return none ? x : at::constant_pad_nd(x, flat, value);
}

Tensor channels_first(const Tensor& x, std::size_t rank) {
  auto n = static_cast<std::int64_t>(rank);
  if (x.dim() < n + 1) {
    fail("the input " + base::tuple_text(x.sizes()) + " needs " + std::to_string(rank) +
         " dimension(s) of the window and one of channels");
  }
  std::int64_t batch_dims = x.dim() - n - 1;
  Tensor flat = x;
  if (batch_dims != 1) {
    Dims shape = x.sizes().vec();
    std::int64_t batch = product(x.sizes().slice(0, static_cast<std::size_t>(batch_dims)));
    shape.erase(shape.begin(), shape.begin() + batch_dims);
    shape.insert(shape.begin(), batch);
    flat = x.reshape(shape);
  }
  return flat.movedim(-1, 1);
}

Tensor channels_last(const Tensor& y, const Tensor& like, std::size_t rank) {
  Tensor out = y.movedim(1, -1);
  std::int64_t batch_dims = like.dim() - static_cast<std::int64_t>(rank) - 1;
  if (batch_dims == 1) return out;
  Dims shape(like.sizes().begin(), like.sizes().begin() + batch_dims);
  shape.insert(shape.end(), out.sizes().begin() + 1, out.sizes().end());
  return out.reshape(shape);
}

}  // namespace kd::nn::detail
