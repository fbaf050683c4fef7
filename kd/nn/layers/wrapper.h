// Modules around a module.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kontext/keys.h"

namespace kd::nn {

// Calls its model, whose keys and parameters are its own: it adds no name to their paths. The
// start of a wrapper that does more.
struct WrapperModule : Module<WrapperModule> {
  Poly<kd::Module> model = {};  // what is called

  Out call(const Arguments& args) const;
  kontext::KeyPaths kontext_keys() const;
};

// A model that knows nothing of keys or of the train property.
//
//   nn::ExternalModule{.model = ..., .keys = {{"inputs", "batch.image"}},
//                      .train_kwarg_name = "~deterministic"}
struct ExternalModule : Module<ExternalModule> {
  // One key, for the only argument, or keys by argument.
  struct Keys : std::variant<std::string, Map<std::string>> {
    static constexpr std::string_view konfig_name = "a key, or keys by argument";
    Keys() : variant(Map<std::string>()) {}
    Keys(std::string key) : variant(std::move(key)) {}
    Keys(const char* key) : variant(std::string(key)) {}
    Keys(std::initializer_list<std::pair<std::string_view, std::string>> keys)
        : variant(Map<std::string>(keys)) {}
  };

  Poly<kd::Module> model = {};  // what is called
  Keys keys = {};               // where its arguments are
  // An argument that is true in training; "~deterministic": true when not training.
  std::optional<std::string> train_kwarg_name = {};

  Out call(const Arguments& args) const;
  kontext::KeyPaths kontext_keys() const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::WrapperModule, "kauldron.kd:nn.WrapperModule");
KONFIG_COMPONENT(kd::Module, kd::nn::ExternalModule, "kauldron.kd:nn.ExternalModule");
