// ReadoutWrapper.
#include "kd/nn/models/readout.h"

#include <map>

#include "kd/core/ops.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/module/keys.h"
#include "kd/nn/run_impl.h"
#include "konfig/error.h"
#include "kontext/path.h"

namespace kd::nn {

using konfig::Error;
using konfig::ErrorKind;
using kontext::KeyPaths;
using kontext::Shape;
using kontext::TreeRef;

namespace {

constexpr std::string_view kReadouts = "readouts";
constexpr std::string_view kModelPrefix = "model_";

std::string head_prefix(const std::string& head) { return "readout_" + head + "_"; }

KeyPaths keys_of(const ReadoutWrapper::Inputs& inputs, const Poly<kd::Module>& module) {
  if (!inputs) return keypaths(module);
  KeyPaths out;
  for (auto& [name, key] : *inputs) {
    out.set(name, key ? konfig::Value(*key) : konfig::Value());
  }
  return out;
}

KeyPaths keys_of_head(const ReadoutWrapper& self, const std::string& head) {
  auto* inputs = self.readout_inputs.find(head);
  if (!inputs) {
    throw Error(ErrorKind::key, "readout_inputs has no entry for the head '" + head +
                                    "'; None takes the keys of the head itself");
  }
  return keys_of(*inputs, self.readout_heads.at(head));
}

// Whether a key leads into what the model gives, not into the step's context.
bool is_internal(const konfig::Value& key) {
  auto* text = key.get_if<std::string>();
  if (!text) return true;
  kontext::Path path = kontext::Path::parse(*text);
  if (path.begin() == path.end()) return false;
  auto* root = path.begin()->text();
  return root && (*root == "preds" || *root == "interms");
}

Arguments with_prefix(const Arguments& args, const std::string& prefix) {
  Arguments out;
  for (auto& [name, value] : args.keywords) {
    if (name.starts_with(prefix)) out.keywords.emplace_back(name.substr(prefix.size()), value);
  }
  return out;
}

TreeRef stop_gradient(const TreeRef& value) {
  if (auto* tensor = value.get_if<Tensor>()) return TreeRef::own(tensor->detach());
  if (!value || !value.is_container()) return value;
  return TreeRef::own(map(value.to<Tree>(), [](const Tensor& t) { return t.detach(); }));
}

Tree predictions(const Out& out) {
  const TreeRef& tree = out.tree();
  if (!tree || (tree.shape() != Shape::map && tree.shape() != Shape::record)) {
    throw Error(ErrorKind::value, "the model must give a dict of predictions, it gave " +
                                      std::string(tree ? tree.type_name() : "nothing"));
  }
  Tree preds = Tree::dict();
  tree.each([&](const kontext::Part& part, const TreeRef& value) {
    preds[*part.text()] = value.to<Tree>();
    return false;
  });
  if (preds.contains(kReadouts)) {
    throw Error(ErrorKind::value,
                "the model's predictions have a key 'readouts', which is reserved for the heads");
  }
  return preds;
}

// Heads may read the model's intermediates, whether or not the caller wants them.
class Capture {
 public:
  Capture() { detail::current_run().capture = true; }
  ~Capture() { detail::current_run().capture = before_; }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

 private:
  const bool before_ = detail::current_run().capture;
};

}  // namespace

Tree ReadoutWrapper::call(const Arguments& args) const {
  Tree preds = [&] {
    const Capture capture;
    return predictions(call_module(model, with_prefix(args, std::string(kModelPrefix))));
  }();
  std::map<std::string, TreeRef> context{
      {"preds", TreeRef::of(preds)},
      {"interms", TreeRef::of(detail::current_run().sown_in(detail::kIntermediates))}};
  Tree readouts = Tree::dict();
  for (auto& [name, head] : readout_heads) {
    KeyPaths internal;
    for (auto& [argument, key] : keys_of_head(*this, name)) {
      if (is_internal(key)) internal.set(argument, key);
    }
    Arguments inputs = with_prefix(args, head_prefix(name));
    for (auto& input : arguments_by_keys(context, internal, "readout " + name).keywords) {
      inputs.keywords.push_back(input);
    }
    if (!finetune) {
      for (auto& input : inputs.keywords) input.second = stop_gradient(input.second);
    }
    readouts[name] = call_module(head, inputs).to<Tree>();
  }
  preds[kReadouts] = std::move(readouts);
  return preds;
}

KeyPaths ReadoutWrapper::kontext_keys() const {
  KeyPaths out;
  for (auto& [name, key] : keys_of(model_inputs, model)) {
    out.set(std::string(kModelPrefix) + name.as<std::string>(), key);
  }
  for (auto& [head, module] : readout_heads) {
    for (auto& [name, key] : keys_of_head(*this, head)) {
      if (!is_internal(key)) out.set(head_prefix(head) + name.as<std::string>(), key);
    }
  }
  return out;
}

}  // namespace kd::nn
