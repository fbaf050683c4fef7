// Golden cases of keys: seeds, splitting, folding, Kauldron's streams and Flax's paths.
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include <stdexcept>

#include "kd/random/sample.h"
#include "kd/train/rng_streams.h"
#include "tests/golden/random_groups.h"

namespace golden {

using kd::Tensor;
using kd::random::Key;
using konfig::Dict;
using konfig::List;
using konfig::Value;

std::vector<Key> keys_of(const Tensor& words) {
  Tensor packed = words.contiguous();
  auto* from = packed.const_data_ptr<std::uint32_t>();
  std::vector<Key> out;
  for (std::int64_t i = 0; i < packed.numel(); i += 2) out.push_back({from[i], from[i + 1]});
  return out;
}

Tensor to_tensor(const std::vector<Key>& keys) {
  auto n = static_cast<std::int64_t>(keys.size());
  Tensor out = at::empty({n, 2}, at::TensorOptions(at::kUInt32));
  auto* to = out.mutable_data_ptr<std::uint32_t>();
  for (auto& key : keys) *to++ = key.hi, *to++ = key.lo;
  return out;
}

Tensor to_tensor(const Key& key) { return to_tensor(std::vector<Key>{key}).reshape({2}); }

kd::random::Mode mode_of(const Dict& args) {
  auto* mode = args.find("jax_threefry_partitionable");
  bool original = mode && !mode->as<bool>();
  return original ? kd::random::Mode::original : kd::random::Mode::partitionable;
}

namespace {

Tensor words(const std::vector<std::uint32_t>& values) {
  auto n = static_cast<std::int64_t>(values.size());
  Tensor out = at::empty({n}, at::TensorOptions(at::kUInt32));
  std::copy(values.begin(), values.end(), out.mutable_data_ptr<std::uint32_t>());
  return out;
}

Tensor scalar(std::uint32_t value) { return words({value}).reshape({}); }

Key key_of(const RandomCase& c) { return keys_of(c.inputs.at("key")).at(0); }

Tensors blocks(const RandomCase& c) {
  auto keys = keys_of(c.inputs.at("key")), counters = keys_of(c.inputs.at("counter"));
  std::vector<Key> out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    out.push_back(kd::random::threefry(keys[i], counters[i]));
  }
  return {{"block", to_tensor(out)}};
}

Tensors array_block(const RandomCase& c) {
  Tensor counts = c.inputs.at("counts").contiguous();
  auto* from = counts.const_data_ptr<std::uint32_t>();
  auto out = kd::random::threefry(key_of(c), {from, static_cast<std::size_t>(counts.numel())});
  return {{"words", words(out).reshape(counts.sizes())}};
}

Tensors seed(const RandomCase& c) {
  auto seed = c.args.at("seed").as<std::int64_t>();
  bool x64 = c.args.at("jax_enable_x64").as<bool>();
  Tensor key = to_tensor(x64 ? kd::random::key64(seed) : kd::random::key(seed));
  return {{"key", key}, {"typed_key_data", key}};
}

Tensors split(const RandomCase& c) {
  const Value& num = c.args.at("num");
  std::vector<std::int64_t> shape =
      num.is<List>() ? integers(num) : std::vector<std::int64_t>{num.as<std::int64_t>()};
  std::int64_t n = 1;
  for (auto size : shape) n *= size;
  shape.push_back(2);
  return {{"keys", to_tensor(kd::random::split(key_of(c), n, mode_of(c.args))).reshape(shape)}};
}

// Folds a name or a number.
Key fold(const Key& key, const Value& data) {
  if (auto* name = data.get_if<std::string>()) return fold_in(key, *name);
  return fold_in(key, data.as<std::int64_t>());
}

// Row i: the key with item i of a list folded in.
Tensors fold_each(const RandomCase& c, const char* list) {
  std::vector<Key> out;
  for (const Value& data : c.args.at(list).as<List>()) out.push_back(fold(key_of(c), data));
  return {{"keys", to_tensor(out)}};
}

Tensors hashes(const RandomCase& c) {
  std::vector<std::uint32_t> out;
  for (const Value& text : c.args.at("strings").as<List>()) {
    out.push_back(kd::random::hash(text.as<std::string>()));
  }
  return {{"hash", words(out)}};
}

Tensors methods(const RandomCase& c) {
  Key key = kd::random::key(c.args.at("seed").as<std::int64_t>()), chain = key;
  for (const Value& data : c.args.at("chain").as<List>()) chain = fold(chain, data);
  Key mix = fold_in(key, "kmix");
  return {{"key", to_tensor(key)},
          {"next", to_tensor(kd::random::next(key))},
          {"split2", to_tensor(kd::random::split(key, 2))},
          {"split3_item1", to_tensor(kd::random::split(key, 3)[1])},
          {"as_seed", scalar(as_seed(key))},
          {"chain", to_tensor(chain)},
          {"uniform3", kd::random::uniform(key, {3})},
          {"kmix_key", to_tensor(mix)},
          {"kmix_seed", scalar(as_seed(mix))},
          {"kmix_shuffle_seed", scalar(as_seed(fold_in(mix, "shuffle")))}};
}

kd::train::RngStream stream_of(const Dict& fields) {
  kd::train::RngStream out{.name = fields.at("name").as<std::string>()};
  auto set = [&](const char* name, bool& to) {
    if (auto* value = fields.find(name)) to = value->as<bool>();
  };
  set("init", out.init);
  set("train", out.train);
  set("eval", out.eval);
  set("per_step", out.per_step);
  return out;
}

Tensors streams(const RandomCase& c) {
  kd::train::RngStreams streams{.seed = static_cast<int>(c.args.at("seed").as<std::int64_t>())};
  for (const Value& stream : c.args.at("stream_overwrites").as<List>()) {
    streams.stream_overwrites.push_back(stream_of(stream.as<Dict>()));
  }
  Tensors out = {{"root", to_tensor(root_rng(streams))}};
  auto add = [&](const std::string& prefix, const kd::train::Rngs& rngs) {
    for (auto& [name, key] : rngs) out[prefix + "/" + name] = to_tensor(key);
  };
  add("init", init_rngs(streams));
  for (auto step : integers(c.args.at("steps"))) {
    add("train/" + std::to_string(step), train_rngs(streams, step));
    add("eval/" + std::to_string(step), eval_rngs(streams, step));
  }
  return out;
}

Tensors fold_paths(const RandomCase& c) {
  std::vector<Key> out;
  for (const Value& suffix : c.args.at("suffixes").as<List>()) {
    std::vector<kd::random::PathPart> parts;
    for (const Value& part : suffix.as<List>()) {
      if (auto* name = part.get_if<std::string>()) {
        parts.emplace_back(*name);
      } else {
        parts.emplace_back(static_cast<std::uint64_t>(part.as<std::int64_t>()));
      }
    }
    out.push_back(kd::random::fold_in_path(key_of(c), parts));
  }
  return {{"keys", to_tensor(out)}};
}

}  // namespace

std::optional<Tensors> run_keys(const RandomCase& c) {
  if (c.api == "jax._src.prng.threefry2x32_p") return blocks(c);
  if (c.api == "jax._src.prng.threefry_2x32") return array_block(c);
  if (c.api == "jax.random.PRNGKey") return seed(c);
  if (c.api == "jax.random.split") return split(c);
  if (c.api == "jax.random.fold_in") return fold_each(c, "data");
  if (c.api == "kauldron.random.random._hash") return hashes(c);
  if (c.api == "kauldron.random.PRNGKey.fold_in") return fold_each(c, "strings");
  if (c.api == "kauldron.random.PRNGKey") return methods(c);
  if (c.api == "kauldron.train.RngStreams") return streams(c);
  if (c.api == "flax.core.scope._fold_in_static") return fold_paths(c);
  return std::nullopt;
}

}  // namespace golden
