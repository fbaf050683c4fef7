// Runs one case of the random area: what the reference's function gives, computed by ours.
#pragma once

#include <optional>
#include <string>

#include "kd/random/key.h"
#include "konfig/value.h"
#include "tests/golden/tensors.h"

namespace golden {

struct RandomCase {
  std::string name, group, api;
  konfig::Dict args;
  Tensors inputs;
};

// Our outputs by name: keys, streams and paths; samplers. Nothing when the api is not theirs.
std::optional<Tensors> run_keys(const RandomCase& c);
std::optional<Tensors> run_samplers(const RandomCase& c);
// Which key each parameter and each draw of a module gets: the groups flax_init and flax_draws.
Tensors run_module_keys(const RandomCase& c);

// A key from a tensor of two words, keys from rows of two.
std::vector<kd::random::Key> keys_of(const kd::Tensor& words);
kd::Tensor to_tensor(const kd::random::Key& key);
kd::Tensor to_tensor(const std::vector<kd::random::Key>& keys);
kd::random::Mode mode_of(const konfig::Dict& args);

}  // namespace golden
