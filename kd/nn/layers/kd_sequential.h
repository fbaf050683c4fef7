// Sequential with keys: a whole model of layers in a row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kd/nn/layers/layer.h"

namespace kd::nn {

struct SequentialRepeats;

// Layers in a row. A layer that gives a tuple or a dict calls the next one with several arguments.
struct Sequential : Module<Sequential> {
  std::vector<Layer> layers = {};           // modules and functions
  Key inputs = Key::required();             // of the whole model; a part of one needs none
  std::optional<std::string> outputs = {};  // the result becomes {outputs: result}

  Out call(const Arguments& args) const;

  static Sequential from_repeated(const SequentialRepeats& repeats);
};

// Sequential.from_repeated: the layers are `prefix`, `layer` as often as `repeats` says, `suffix`.
struct SequentialRepeats {
  Poly<kd::Module> layer = {};              // what is repeated
  Required<int> repeats;                    // how often
  bool shared_weights = false;              // one layer called several times, not several layers
  Key inputs = Key::required();             // see Sequential
  std::optional<std::string> outputs = {};  // see Sequential
  std::vector<Layer> prefix = {};           // before the repeated layer
  std::vector<Layer> suffix = {};           // behind it
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Sequential, "kauldron.kd:nn.Sequential");
KONFIG_ARGUMENTS(kd::Module, kd::nn::SequentialRepeats);
