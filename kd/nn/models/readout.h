// ReadoutWrapper: heads on top of a model that was trained before.
#pragma once

#include <optional>
#include <string>

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kontext/keys.h"

namespace kd {
class Tree;
}

namespace kd::nn {

// Calls the model, then each head with what its keys lead to: the batch, the model's predictions
// ("preds.logits") and its intermediates ("interms.model..."). The result is the model's, and the
// heads' under "readouts".
//
//   nn::ReadoutWrapper{.model = pretrained,
//                      .readout_heads = {{"classes", nn::Dense{.features = 10}}},
//                      .readout_inputs = {{"classes", {{{"inputs", "preds.features"}}}}}}
struct ReadoutWrapper : Module<ReadoutWrapper> {
  using Inputs = std::optional<Map<std::optional<std::string>>>;

  Poly<kd::Module> model = {};               // its result must be a dict or a struct
  Inputs model_inputs = {};                  // keys by argument; None: the model's own
  Map<Poly<kd::Module>> readout_heads = {};  // trained on what the model gives
  Map<Inputs> readout_inputs = {};           // keys by argument for each head; None: the head's own
  bool finetune = false;                     // gradients of the heads reach the model

  Tree call(const Arguments& args) const;
  kontext::KeyPaths kontext_keys() const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::ReadoutWrapper, "kauldron.kd:contrib.nn.ReadoutWrapper",
                 "kauldron.contrib.modules:ReadoutWrapper");
