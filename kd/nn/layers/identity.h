// Modules that compute nothing.
#pragma once

#include <optional>

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd {
class Tree;
}

namespace kd::nn {

// Gives back its first argument: a name under which a value stands among the intermediates.
struct Identity : Module<Identity> {
  Out call(const Arguments& args) const;
};

// Ignores its input and gives {"logits": [42]}: a placeholder while other parts are worked on.
struct DummyModel : Module<DummyModel> {
  std::optional<Key> inputs = {};  // what to ignore

  Tree call(const kontext::TreeRef& inputs = {}) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Identity, "kauldron.kd:nn.Identity");
KONFIG_COMPONENT(kd::Module, kd::nn::DummyModel, "kauldron.kd:nn.DummyModel");
