// A module with a name of its own, which configs give as to any module of Flax:
// `nn.Dense(features=10, name="head")`.
#pragma once

#include <string>

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kontext/keys.h"

namespace kd::nn {

// Its parameters are found under this name, not under that of the field it is in.
struct NamedModule : Module<NamedModule> {
  Required<std::string> name;   // in place of the field's
  Poly<kd::Module> model = {};  // what is called

  Out call(const Arguments& args) const;
  kontext::KeyPaths kontext_keys() const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::NamedModule, "kd.nn:NamedModule");
