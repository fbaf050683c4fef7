// Modules with names of their own.
#include "kd/nn/module/named_module.h"

#include "kd/nn/module/invoke.h"
#include "kd/nn/module/keys.h"

namespace kd::nn {

// In its own scope, which call_module and call_named give the name.
Out NamedModule::call(const Arguments& args) const { return call_named("", model, args); }

kontext::KeyPaths NamedModule::kontext_keys() const { return keypaths(model); }

}  // namespace kd::nn
