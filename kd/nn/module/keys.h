// A model's keys: how it finds its arguments in the context of a step.
//
//   nn::Arguments args = nn::model_arguments(model, context);   // {"image": context.batch.image}
#pragma once

#include <string_view>

#include "kd/nn/module/module.h"
#include "kontext/keys.h"

namespace kd::nn {

// The keys of a module by argument; those of a wrapped model for a wrapper.
kontext::KeyPaths keypaths(const Poly<kd::Module>& module);
// Whether the module names its inputs by keys, set or not.
bool is_key_annotated(const Poly<kd::Module>& module);

// What the keys lead to, by argument. Keys that are None are left out; an Error for a key that is
// required and not set, or leads nowhere, starts with `type`.
Arguments arguments_by_keys(const kontext::TreeRef& context, const kontext::KeyPaths& keys,
                            std::string_view type);

// What a model is called with: what its keys lead to, or, where it has none, the whole batch.
Arguments model_arguments(const Poly<kd::Module>& model, const kontext::TreeRef& context);

}  // namespace kd::nn
