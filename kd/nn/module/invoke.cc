// Arguments of modules known only at run time.
#include "kd/nn/module/invoke.h"

#include <algorithm>

#include "kd/core/tree.h"
#include "kd/nn/module/named_module.h"
#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::nn {

using konfig::Error;
using konfig::ErrorKind;
using kontext::TreeRef;

const TreeRef* Arguments::find(std::string_view keyword) const {
  for (auto& [name, value] : keywords) {
    if (name == keyword) return &value;
  }
  return nullptr;
}

Out::operator Tensor() const { return tree_.to<Tensor>(); }

Out call_module(const Poly<kd::Module>& module, const Arguments& args) {
  if (auto* named = module.get_if<NamedModule>()) return call_named(*named->name, module, args);
  const void* object = module.object().get();
  return ops_of(module).call(object, {.object = object}, args);
}

Out call_named(const std::string& name, const Poly<kd::Module>& module, const Arguments& args) {
  const void* object = module.object().get();
  return ops_of(module).call(object, {.object = object, .name = &name}, args);
}

namespace detail {

std::vector<TreeRef> bind_arguments(const Arguments& args,
                                    const std::vector<std::string_view>& names, std::size_t count) {
  if (args.positional.size() > count) {
    throw Error(ErrorKind::type, "the call takes " + std::to_string(count) +
                                     " argument(s), it was given " +
                                     std::to_string(args.positional.size()));
  }
  std::vector<TreeRef> bound(args.positional);
  bound.resize(count);
  for (auto& [keyword, value] : args.keywords) {
    const std::size_t i =
        static_cast<std::size_t>(std::ranges::find(names, keyword) - names.begin());
    if (i < names.size() && i >= count) {
      throw Error(ErrorKind::type, "the module has " + std::to_string(names.size()) +
                                       " keys, but its call takes " + std::to_string(count) +
                                       " argument(s): none for the key '" + keyword +
                                       "'; add a parameter, or remove the key");
    }
    if (i >= count) {
      std::vector<std::string> known(names.begin(), names.end());
      throw Error(ErrorKind::type, "the call has no argument '" + keyword + "'" +
                                       konfig::did_you_mean(keyword, known));
    }
    if (i < args.positional.size()) {
      throw Error(ErrorKind::type, "the argument '" + keyword + "' is given twice");
    }
    bound[i] = value;
  }
  return bound;
}

void fail_missing(std::size_t i, const std::vector<std::string_view>& names) {
  throw Error(ErrorKind::type, "the call needs " +
                                   (i < names.size() ? "'" + std::string(names[i]) + "'"
                                                     : "argument " + std::to_string(i + 1)) +
                                   ", which was not given");
}

}  // namespace detail
}  // namespace kd::nn
