// Noise that fades, with the reference's random numbers.
#include <ATen/ops/empty.h>

#include <cmath>

#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/transforms.h"
#include "kd/optim/zip_impl.h"
#include "kd/random/key.h"
#include "kd/random/sample.h"
#include "konfig/error.h"

namespace kd::optim {

namespace {

using random::Key;

Tensor stored(const Key& key) {
  Tensor out = at::empty({2}, at::TensorOptions().dtype(at::kUInt32));
  auto* words = out.mutable_data_ptr<std::uint32_t>();
  words[0] = key.hi;
  words[1] = key.lo;
  return out;
}

Key loaded(const Tensor& tensor) {
  const auto* words = tensor.const_data_ptr<std::uint32_t>();
  return {words[0], words[1]};
}

Tree noise_state(std::int32_t count, const Key& key) {
  return Tree::record("AddNoiseState", {{"count", counter(count)}, {"rng_key", stored(key)}});
}

}  // namespace

Tree AddNoise::init(const Tree&) const {
  if (key && seed) {
    throw konfig::Error(konfig::ErrorKind::value, "seed",
                        "key and seed mean the same; give only key");
  }
  return noise_state(0, random::key(key.value_or(seed.value_or(0))));
}

Update AddNoise::update(const Tree& grads, const Tree& state, const Tree&) const {
  const std::int32_t count = after(count_of(field(state, "AddNoiseState", "count")));
  const float fading = std::pow(static_cast<float>(count), static_cast<float>(*gamma));
  const float deviation = std::sqrt(static_cast<float>(*eta) / fading);
  const auto [next, sample] = random::split<2>(loaded(state["rng_key"].tensor()));
  std::int64_t leaves = 0;
  each(grads, [&](const Tensor&) { ++leaves; });
  const std::vector<Key> keys = random::split(sample, leaves);
  std::size_t i = 0;
  Tree updates = zip(
      [&](const Tensor& g) {
        Tensor noise = random::normal(keys[i++], g.sizes(), g.scalar_type());
        return g + times(deviation, noise);
      },
      grads);
  return {std::move(updates), noise_state(count, next)};
}

}  // namespace kd::optim
