// A model's keys.
#include "kd/nn/module/keys.h"

#include <map>

#include "kd/core/tree.h"
#include "kd/nn/module/interms.h"
#include "kd/nn/module/invoke.h"
#include "kontext/get.h"

namespace kd::nn {

using kontext::Resolved;
using kontext::Shape;
using kontext::TreeRef;

kontext::KeyPaths keypaths(const Poly<kd::Module>& module) {
  return ops_of(module).keys(module.object().get());
}

bool is_key_annotated(const Poly<kd::Module>& module) { return ops_of(module).is_key_annotated(); }

namespace {

// What keys lead to as one tree. Tensors are held: a module may record them.
TreeRef to_tree(const Resolved& resolved) {
  switch (resolved.shape) {
    case Shape::none:
      return TreeRef::none();
    case Shape::map: {
      std::map<std::string, TreeRef> out;
      for (auto& [part, child] : resolved.children) out.emplace(*part.text(), to_tree(child));
      return TreeRef::own(std::move(out));
    }
    case Shape::list:
    case Shape::tuple: {
      std::vector<TreeRef> out;
      for (auto& entry : resolved.children) out.push_back(to_tree(entry.second));
      return TreeRef::own(std::move(out));
    }
    default:
      break;
  }
  auto* tensor = resolved.found.get_if<Tensor>();
  return tensor ? TreeRef::own(*tensor) : resolved.found;
}

}  // namespace

Arguments arguments_by_keys(const TreeRef& context, const kontext::KeyPaths& keys,
                            std::string_view type) {
  Arguments args;
  for (auto& [name, resolved] : kontext::resolve_from_keypaths(context, keys, type)) {
    args.keywords.emplace_back(name, to_tree(resolved));
  }
  return args;
}

Arguments model_arguments(const Poly<kd::Module>& model, const TreeRef& context) {
  if (is_key_annotated(model)) {
    return arguments_by_keys(context, keypaths(model), model.type()->name);
  }
  return Arguments{.positional = {kontext::get_by_path(context, "batch")}};
}

}  // namespace kd::nn
