// Segmentations carried on through a video. Jabri et al., 2020.
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/where.h>

#include <deque>

#include "kd/metrics/contrib/video.h"
#include "kd/metrics/engine/metric.h"
#include "kd/metrics/image_impl.h"

namespace kd::metrics::contrib {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr int kContext = 20;  // frames that a frame is compared with, besides the first
constexpr int kNearest = 7;   // patches that decide about one
constexpr double kTemperature = 0.7;

// (..., H, W) of another size: each pixel is that of the old one which holds its centre.
Tensor resize_nearest(const Tensor& labels, std::int64_t height, std::int64_t width) {
  auto index = [](std::int64_t in, std::int64_t out) {
    double step = static_cast<double>(in) / static_cast<double>(out);
    return ((at::arange(out, at::kDouble) + 0.5) * step).floor().to(at::kLong).clamp_max(in - 1);
  };
  return labels.index_select(-2, index(labels.size(-2), height))
      .index_select(-1, index(labels.size(-1), width));
}

// (...) to (..., classes), 1 where a label is first, first + 1, ...
Tensor one_hot(const Tensor& labels, int first, int classes) {
  return (labels.unsqueeze(-1) == at::arange(first, first + classes, labels.options()))
      .to(at::kFloat);
}

// (t, h, w, d) and the classes (h, w, n) of the first frame to the classes (t, h, w, n) of all.
Tensor carry_on(const Tensor& features, const Tensor& first) {
  std::int64_t h = features.size(1), w = features.size(2), classes = first.size(-1);
  struct Frame {
    Tensor features, labels;  // (h w, d) and (h w, n)
  };
  auto flat = [&](const Tensor& x) { return x.reshape({h * w, -1}); };
  Frame start{flat(features[0]), flat(first)};
  std::deque<Frame> frames(kContext, start);
  std::vector<Tensor> out;
  for (std::int64_t t = 0; t < features.size(0); ++t) {
    std::vector<Tensor> known = {start.features}, labels = {start.labels};
    for (const Frame& frame : frames) {
      known.push_back(frame.features);
      labels.push_back(frame.labels);
    }
    Tensor now = flat(features[t]);
    Tensor alike = now.matmul(at::cat(known).t()) / kTemperature;
    auto [weights, ids] = alike.topk(std::min<std::int64_t>(kNearest, alike.size(-1)), -1);
    Tensor chosen = at::cat(labels).index_select(0, ids.flatten()).view({h * w, -1, classes});
    Tensor guess = (chosen * weights.softmax(-1).unsqueeze(-1)).sum(1);
    frames.pop_front();
    frames.push_back({now, guess});
    out.push_back(guess.view({h, w, classes}));
  }
  return at::stack(out);
}

// (t, H, W, n), twice, to (n): the mean over frames. Nothing in both is a full match.
Tensor jaccard(const Tensor& right, const Tensor& guess) {
  Tensor both = (right * guess).sum({1, 2}), either = at::maximum(right, guess).sum({1, 2});
  return at::where(either == 0, at::ones_like(both), both / either).mean(0);
}

}  // namespace

AverageState SegmentationJaccard::get_state(Float<"*b t k d"> features,
                                            Float<"*b t H W"> gt_segmentations) const {
  auto [height, width] = resolution;
  std::int64_t h = height / patch_size.first, w = width / patch_size.second;
  std::int64_t times = features.size(-3), patches = features.size(-2);
  if (patches != h * w) {
    throw Error(ErrorKind::value, "features: " + std::to_string(patches) + " patches, but " +
                                      std::to_string(height) + "x" + std::to_string(width) +
                                      " in patches of " + std::to_string(patch_size.first) + "x" +
                                      std::to_string(patch_size.second) + " are " +
                                      std::to_string(h) + "x" + std::to_string(w));
  }
  if (times < 3) throw Error(ErrorKind::value, "features: at least 3 frames are needed");
  Tensor all = features.reshape({-1, times, h, w, features.size(-1)});
  all = all / all.square().sum(-1, true).sqrt();
  std::int64_t rows = gt_segmentations.size(-2), columns = gt_segmentations.size(-1);
  Tensor right = gt_segmentations.reshape({-1, times, rows, columns});
  std::vector<Tensor> values, masks;
  for (std::int64_t video = 0; video < all.size(0); ++video) {
    Tensor truth = right[video];
    Tensor big = one_hot(resize_nearest(truth[0], height, width), 0, n_max_class);
    Tensor small = at::upsample_bilinear2d(big.permute({2, 0, 1}).unsqueeze(0), {h, w}, false);
    Tensor guess = carry_on(all[video], small[0].permute({1, 2, 0}));
    guess = metrics::detail::resize_linear(guess, height, width).argmax(-1);
    guess = resize_nearest(guess, rows, columns);
    auto middle = [&](const Tensor& x) {
      return one_hot(x.slice(0, 1, times - 1), 1, n_max_class);
    };
    values.push_back(jaccard(middle(truth), middle(guess)));
    masks.push_back((at::arange(n_max_class) < truth.max()).to(at::kFloat));
  }
  return AverageState::from_values(at::stack(values), at::stack(masks));
}

}  // namespace kd::metrics::contrib
