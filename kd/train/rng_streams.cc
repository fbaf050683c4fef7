// Keys of the random streams.
#include "kd/train/rng_streams.h"

#include <algorithm>

#include "konfig/error.h"

namespace kd::train {
namespace {

using konfig::Error;
using konfig::ErrorKind;

// The mode is part of the key, so that training and evaluation differ at the same step.
Rngs rngs(const RngStreams& streams, bool RngStream::*used, std::int64_t step, const char* mode) {
  if (step < 0 || step > std::int64_t{0xffffffff}) {
    throw Error(ErrorKind::value,
                "rng_streams: a step is from 0 to 2**32 - 1, not " + std::to_string(step));
  }
  random::Key root = root_rng(streams);
  Rngs out;
  for (const RngStream& stream : all_streams(streams)) {
    if (!(stream.*used)) continue;
    random::Key key = fold_in(root, *stream.name);
    if (stream.per_step) key = fold_in(key, step);
    out[*stream.name] = fold_in(key, mode);
  }
  return out;
}

}  // namespace

random::Key root_rng(const RngStreams& streams) { return random::key(*streams.seed); }

std::vector<RngStream> all_streams(const RngStreams& streams) {
  std::vector<RngStream> out = {{.name = "params", .train = false, .per_step = false},
                                {.name = "dropout"},
                                {.name = "default"}};
  for (const RngStream& stream : streams.stream_overwrites) {
    auto same = std::find_if(out.begin(), out.end(),
                             [&](const RngStream& other) { return *other.name == *stream.name; });
    if (same == out.end()) {
      out.push_back(stream);
    } else {
      *same = stream;
    }
  }
  return out;
}

Rngs init_rngs(const RngStreams& streams) { return rngs(streams, &RngStream::init, 0, "init"); }

Rngs train_rngs(const RngStreams& streams, std::int64_t step) {
  return rngs(streams, &RngStream::train, step, "train");
}

Rngs eval_rngs(const RngStreams& streams, std::int64_t step) {
  return rngs(streams, &RngStream::eval, step, "eval");
}

}  // namespace kd::train
