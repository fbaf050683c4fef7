// Parts of cases: modules, random streams, trees.
#include "tests/golden/nn_case.h"

#include <map>
#include <stdexcept>

#include "kd/train/rng_streams.h"
#include "konfig/config_dict.h"
#include "konfig/resolve.h"

namespace golden {

using kd::Tensor;
using kd::Tree;
using konfig::Dict;
using konfig::Value;

namespace {

std::map<std::string, NnHandler>& handlers() {
  static std::map<std::string, NnHandler> table;
  return table;
}

// "PRNGKey(11)" and "RngStreams(seed=42).init_rngs()" hold one number.
std::int64_t number_in(const std::string& text) {
  auto at = text.find_first_of("-0123456789");
  if (at == text.npos) throw std::runtime_error("no number in " + text);
  return std::stoll(text.substr(at));
}

}  // namespace

bool add_nn_handler(const std::string& api, NnHandler handler) {
  handlers()[api] = std::move(handler);
  return true;
}

const NnHandler* find_nn_handler(const std::string& api) {
  auto found = handlers().find(api);
  return found == handlers().end() ? nullptr : &found->second;
}

konfig::Poly<kd::Module> module_of(const Value& config) {
  Value built = konfig::resolve(Value(konfig::ConfigDict(config.as<Dict>())));
  return konfig::load<konfig::Poly<kd::Module>>(built);
}

kd::nn::Rngs apply_rngs(const Dict& args) {
  kd::nn::Rngs out;
  if (auto* streams = args.find("apply_rngs")) {
    for (auto& [name, text] : streams->as<Dict>()) {
      out.emplace(name.as<std::string>(), kd::random::key(number_in(text.as<std::string>())));
    }
  }
  return out;
}

kd::nn::Rngs init_rngs(const Dict& args) {
  if (auto* text = args.find("init_rngs")) {
    auto seed = args.find("seed");
    auto number = seed ? seed->as<std::int64_t>() : number_in(text->as<std::string>());
    return kd::train::init_rngs({.seed = static_cast<int>(number)});
  }
  kd::nn::Rngs out = apply_rngs(args);
  out.emplace("params", kd::random::key(args.at("init_seed").as<std::int64_t>()));
  return out;
}

Tree tree_of(const Tensors& tensors, const std::string& below) {
  Tree out = Tree::dict();
  for (auto& [name, tensor] : tensors) {
    if (!name.starts_with(below + "/")) continue;
    Tree* node = &out;
    std::string rest = name.substr(below.size() + 1);
    for (auto cut = rest.find('/'); cut != rest.npos; cut = rest.find('/')) {
      node = &(*node)[rest.substr(0, cut)];
      rest = rest.substr(cut + 1);
    }
    (*node)[rest] = tensor;
  }
  return out;
}

void add_leaves(Tensors& to, const std::string& name, const kontext::TreeRef& tree) {
  if (!tree || tree.shape() == kontext::Shape::none) return;
  if (!tree.is_container()) {
    to[name] = tree.to<Tensor>();
    return;
  }
  tree.each([&](const kontext::Part& part, const kontext::TreeRef& child) {
    std::string step = part.index() ? std::to_string(*part.index()) : part.name();
    add_leaves(to, name.empty() ? step : name + "/" + step, child);
    return false;
  });
}

}  // namespace golden
