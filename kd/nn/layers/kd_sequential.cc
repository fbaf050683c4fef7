// Sequential with keys.
#include "kd/nn/layers/kd_sequential.h"

#include <map>

#include "kd/nn/module/invoke.h"
#include "konfig/error.h"

namespace kd::nn {

Out Sequential::call(const Arguments& args) const {
  const kontext::TreeRef* input = args.find("inputs");
  if (args.positional.size() + args.keywords.size() != 1 || (args.positional.empty() && !input)) {
    throw konfig::Error(konfig::ErrorKind::type, "the call takes one argument, 'inputs'");
  }
  const kontext::TreeRef& given = input ? *input : args.positional[0];
  Out out = layers.empty() ? Out(given) : run_layers(layers, splat(given));
  if (!outputs) return out;
  return Out(
      kontext::TreeRef::own(std::map<std::string, kontext::TreeRef>{{*outputs, out.tree()}}));
}

}  // namespace kd::nn
