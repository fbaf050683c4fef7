// Modules around a module. The empty name is the wrapper's own scope.
#include "kd/nn/layers/wrapper.h"

#include "kd/nn/engine/scope.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/module/keys.h"

namespace kd::nn {

namespace {

// What a single key is called among the keys.
constexpr std::string_view kOnlyArgument = "__args__";

}  // namespace

Out WrapperModule::call(const Arguments& args) const { return call_named("", model, args); }

kontext::KeyPaths WrapperModule::kontext_keys() const { return keypaths(model); }

Out ExternalModule::call(const Arguments& args) const {
  Arguments given{.positional = args.positional};
  for (auto& [name, value] : args.keywords) {
    if (name == kOnlyArgument) {
      given.positional = {value};
    } else {
      given.keywords.emplace_back(name, value);
    }
  }
  if (train_kwarg_name) {
    bool inverted = train_kwarg_name->starts_with('~');
    given.keywords.emplace_back(train_kwarg_name->substr(inverted ? 1 : 0),
                                kontext::TreeRef::own(is_training() != inverted));
  }
  return call_named("", model, given);
}

kontext::KeyPaths ExternalModule::kontext_keys() const {
  kontext::KeyPaths out;
  if (auto* key = std::get_if<std::string>(&keys)) {
    out.set(kOnlyArgument, *key);
  } else {
    for (auto& [name, key_of_name] : std::get<Map<std::string>>(keys)) out.set(name, key_of_name);
  }
  return out;
}

}  // namespace kd::nn
