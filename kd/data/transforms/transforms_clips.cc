// Which frames of videos are taken.
#include "kd/data/transforms/transforms_clips.h"

#include <ATen/ops/full.h>

#include <algorithm>

#include "kd/data/engine/transform.h"
#include "kd/data/transforms/contrib_impl.h"

namespace kd::data::contrib {

namespace {

using Indices = std::vector<std::int64_t>;

// As many frames as wanted, more of them behind the last one.
Tensor filled_up(const Tensor& video, std::int64_t wanted, bool last_again, double value) {
  const std::int64_t n = video.size(0);
  if (n >= wanted) return video;
  if (last_again && n > 0) {
    Indices indices;
    for (std::int64_t i = 0; i < wanted; ++i) indices.push_back(std::min(i, n - 1));
    return detail::take(video, 0, indices);
  }
  std::vector<std::int64_t> sizes = video.sizes().vec();
  sizes[0] = wanted;
  Tensor out = at::full(sizes, value, video.options());
  out.narrow(0, 0, n).copy_(video);
  return out;
}

std::int64_t up_to(Generator& rng, std::int64_t most) {
  return static_cast<std::int64_t>(rng.integers(static_cast<std::uint64_t>(most + 1)));
}

}  // namespace

void TemporalRandomWindow::check() const {
  detail::check_positive(*length, "length");
  if (auto* rate = std::get_if<int>(&frame_rate)) detail::check_positive(*rate, "frame_rate");
}

Tensor TemporalRandomWindow::random_map_element(const Tensor& element, Generator& rng) const {
  const std::int64_t n = detail::frames_of(element);
  std::int64_t rate = 1;
  if (auto* given = std::get_if<int>(&frame_rate)) {
    rate = *given;
  } else {
    rate = 1 + up_to(rng, std::max<std::int64_t>(n / *length, 1) - 1);
  }
  const std::int64_t span = *length * rate;
  const Tensor video = filled_up(element, span, padding_mode == PaddingMode::last, padding_value);
  const std::int64_t begin = up_to(rng, video.size(0) - span);
  return video.slice(0, begin, begin + span, rate);
}

Tensor TemporalRandomStridedWindow::random_map_element(const Tensor& element,
                                                       Generator& rng) const {
  detail::check_positive(*stride, "stride");
  detail::check_positive(*length, "length");
  const std::int64_t n = detail::frames_of(element);
  const std::int64_t begin = n == 0 ? 0 : up_to(rng, (n - 1) / *stride) * *stride;
  const Tensor rest = element.narrow(0, begin, std::min<std::int64_t>(*length, n - begin));
  return filled_up(rest, *length, /*last_again=*/false, padding_value);
}

namespace {

// Where the last clip may begin.
template <class Clip>
std::int64_t last_start(const Clip& clip, std::int64_t frames) {
  detail::check_positive(clip.stride, "stride");
  detail::check_positive(clip.num_frames, "num_frames");
  return std::max<std::int64_t>(0, frames - std::int64_t{clip.num_frames} * clip.stride);
}

template <class Clip>
const Tensor& video_of(const Clip& clip, const Tree& record) {
  const Tree* video = record.find(clip.input_key);
  if (!video) {
    throw Error(ErrorKind::key, "input_key: there is no element '" + clip.input_key + "'");
  }
  if (detail::frames_of(video->tensor()) == 0) {
    throw Error(ErrorKind::value, clip.input_key + ": the video has no frames");
  }
  return video->tensor();
}

template <class Clip>
Tree with_clips(const Clip& clip, Tree record, const Indices& starts) {
  const Tensor video = video_of(clip, record);
  Indices indices;
  for (std::int64_t start : starts) {
    for (std::int64_t i = 0; i < clip.num_frames; ++i) {
      indices.push_back(std::min(start + i * clip.stride, video.size(0) - 1));
    }
  }
  record[clip.output_key.value_or(clip.input_key)] = detail::take(video, 0, indices);
  if (clip.indices_key) record[*clip.indices_key] = at::tensor(indices, at::kInt);
  return record;
}

}  // namespace

Tree FirstClip::map(Tree record) const { return with_clips(*this, std::move(record), {0}); }

Tree MiddleClip::map(Tree record) const {
  const std::int64_t last = last_start(*this, video_of(*this, record).size(0));
  return with_clips(*this, std::move(record), {last / 2});
}

Tree RandomClip::random_map(Tree record, const Generator& rng) const {
  Generator copy = rng;
  const std::int64_t last = last_start(*this, video_of(*this, record).size(0));
  return with_clips(*this, std::move(record), {up_to(copy, last)});
}

Tree MultiClip::map(Tree record) const {
  detail::check_positive(num_clips, "num_clips");
  const std::int64_t last = last_start(*this, video_of(*this, record).size(0));
  Indices starts;
  for (std::int64_t i = 0; i < num_clips; ++i) {
    starts.push_back(num_clips == 1 ? 0 : last * i / (num_clips - 1));
  }
  return with_clips(*this, std::move(record), starts);
}

void TemporalRandomWalk::check() const { detail::check_positive(*length, "length"); }

Tensor TemporalRandomWalk::random_map_element(const Tensor& element, Generator& rng) const {
  const std::int64_t n = detail::frames_of(element);
  if (n == 0) throw Error(ErrorKind::value, "the video has no frames");
  // There and back again is a circle: 0 1 2 3 2 1.
  const std::int64_t circle = std::max<std::int64_t>(2 * n - 2, 1);
  std::int64_t place = up_to(rng, circle - 1), direction = 1;
  Indices indices;
  for (int i = 0; i < *length; ++i) {
    if (rng.uniform() < thresh) direction = -direction;
    place = (place + direction + circle) % circle;
    indices.push_back(std::min(place, circle - place));
  }
  return detail::take(element, 0, indices);
}

void SliceVideosIntoFrames::check() const {
  if (tensors_to_slice_names->empty()) {
    throw Error(ErrorKind::value, "tensors_to_slice_names", "expected at least one element");
  }
}

std::vector<Tree> SliceVideosIntoFrames::split(const Tree& record) const {
  std::vector<Tree> out;
  for (const std::string& name : *tensors_to_slice_names) {
    const Tensor& video = detail::element_of(record, name, "tensors_to_slice_names").tensor();
    const auto n = static_cast<std::size_t>(detail::frames_of(video));
    if (out.empty()) out.assign(n, Tree::dict());
    if (out.size() != n) {
      throw Error(ErrorKind::value, name,
                  std::to_string(n) + " frames, but '" + tensors_to_slice_names->front() +
                      "' has " + std::to_string(out.size()));
    }
    for (std::size_t i = 0; i < n; ++i) out[i][name] = video[static_cast<std::int64_t>(i)];
  }
  for (const std::string& name : context_tensors_names) {
    const Tree& whole = detail::element_of(record, name, "context_tensors_names");
    for (Tree& frame : out) frame[name] = whole;
  }
  return out;
}

}  // namespace kd::data::contrib
