// Modules whose parameters are the keys they were made with.
#include <ATen/ops/ones.h>

#include <functional>
#include <map>

#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/kd_sequential.h"
#include "kd/nn/layers/wrapper.h"
#include "kd/nn/module/invoke.h"
#include "tests/golden/nn_case.h"
#include "tests/golden/random_groups.h"

namespace golden::keys {

namespace nn = kd::nn;
using kd::Tensor;
using ModulePoly = konfig::Poly<kd::Module>;

void key_param(const std::string& name) {
  nn::param(name, {2}, [](const kd::random::Key& key) { return to_tensor(key); });
}

// Parameters p0, p1, ...
struct Leaf : nn::Module<Leaf> {
  int n = 2;
  Tensor call(const Tensor& x) const {
    for (int i = 0; i < n; ++i) key_param("p" + std::to_string(i));
    return x;
  }
};

// A parameter, two leaves without names, another parameter.
struct Mid : nn::Module<Mid> {
  Tensor call(const Tensor& x) const {
    key_param("first");
    Tensor y = Leaf{.n = 1}(x);
    y = Leaf{.n = 2}(y);
    key_param("last");
    return y;
  }
};

}  // namespace golden::keys

KD_COMPONENT(kd::Module, golden::keys::Leaf);
KD_COMPONENT(kd::Module, golden::keys::Mid);

namespace golden::keys {

// Modules given from outside.
struct Attrs : nn::Module<Attrs> {
  ModulePoly encoder = {};
  std::vector<ModulePoly> layers = {};
  std::map<std::string, ModulePoly> heads = {};
  std::vector<std::vector<ModulePoly>> nested = {};
  Tensor call(const Tensor& x) const {
    Tensor y = encoder(x);
    for (auto& layer : layers) y = layer(y);
    for (auto& [name, head] : heads) y = head(y);
    for (auto& row : nested) {
      for (auto& layer : row) y = layer(y);
    }
    return y;
  }
};

// What the reference makes in `setup` are fields with a default here.
struct Setup : nn::Module<Setup> {
  Mid body = {};
  std::vector<Leaf> blocks = {Leaf{.n = 1}, Leaf{.n = 1}};
  Tensor call(const Tensor& x) const {
    key_param("scale");
    Tensor y = x;
    for (auto& block : blocks) y = block(y);
    return body(y);
  }
};

// Called in another order than declared.
struct SetupReverse : nn::Module<SetupReverse> {
  Leaf a = {.n = 1};
  Leaf b = {.n = 1};
  Tensor call(const Tensor& x) const { return a(b(x)); }
};

// One object called twice, one with a name, one without.
struct Shared : nn::Module<Shared> {
  Tensor call(const Tensor& x) const {
    Leaf leaf{.n = 1};
    Tensor y = leaf(leaf(x));
    y = nn::named("named", Leaf{.n = 1})(y);
    return Leaf{.n = 1}(y);
  }
};

// Names at several depths; what is handed to a Sequential belongs to this module.
struct Top : nn::Module<Top> {
  Tensor call(const Tensor& x) const {
    Tensor y = Mid{}(x);
    y = nn::named("tail", Mid{})(y);
    y = nn::Sequential{.layers = {Leaf{.n = 1}, Mid{}}}(y);
    return Mid{}(y);
  }
};

// Keys of several streams, here and in modules below.
struct Draws : nn::Module<Draws> {
  int depth = 1;
  Tensor call(const Tensor& x) const {
    for (const char* stream : {"params", "dropout", "dropout", "default", "params"}) {
      nn::sow("drawn", stream, kontext::TreeRef::own(to_tensor(nn::make_rng(stream))));
    }
    if (depth > 0) {
      nn::named("child", Draws{.depth = depth - 1})(x);
      Draws{.depth = 0}(x);
    }
    return x;
  }
};

// A stream that is missing is served by that of the parameters.
struct FallBack : nn::Module<FallBack> {
  Tensor call(const Tensor& x) const {
    key_param("w");
    nn::sow("drawn", "dropout", kontext::TreeRef::own(to_tensor(nn::make_rng("dropout"))));
    key_param("v");
    return x;
  }
};

// The counters of a module go on when it is called again.
struct CallTwice : nn::Module<CallTwice> {
  Tensor call(const Tensor& x) const {
    Draws draws{.depth = 0};
    return draws(draws(x));
  }
};

}  // namespace golden::keys

KD_COMPONENT(kd::Module, golden::keys::Attrs);
KD_COMPONENT(kd::Module, golden::keys::Setup);
KD_COMPONENT(kd::Module, golden::keys::SetupReverse);
KD_COMPONENT(kd::Module, golden::keys::Shared);
KD_COMPONENT(kd::Module, golden::keys::Top);
KD_COMPONENT(kd::Module, golden::keys::Draws);
KD_COMPONENT(kd::Module, golden::keys::CallTwice);

namespace golden {
namespace {

using namespace keys;

ModulePoly model_of(const std::string& name) {
  static const std::map<std::string, std::function<ModulePoly()>> models = {
      {"leaf", [] { return Leaf{.n = 3}; }},
      {"mid", [] { return Mid{}; }},
      {"attrs",
       [] {
         return Attrs{.encoder = Mid{},
                      .layers = {Leaf{.n = 1}, Leaf{.n = 2}},
                      .heads = {{"b", Leaf{.n = 1}}, {"a", Leaf{.n = 1}}},
                      .nested = {{Leaf{.n = 1}}, {Leaf{.n = 1}, Leaf{.n = 1}}}};
       }},
      {"setup", [] { return Setup{}; }},
      {"setup_reverse", [] { return SetupReverse{}; }},
      {"shared", [] { return Shared{}; }},
      {"top", [] { return Top{}; }},
      {"wrapper", [] { return nn::WrapperModule{.model = Mid{}}; }},
      {"wrapper_nested",
       [] {
         return nn::Sequential{.layers = {nn::WrapperModule{.model = Mid{}}, Leaf{.n = 1}}};
       }},
      {"kd_sequential",
       [] {
         return nn::Sequential{.layers = {Leaf{.n = 1}, Mid{}, Leaf{.n = 2}}};
       }},
      {"draws", [] { return Draws{.depth = 2}; }},
      {"call_twice", [] { return CallTwice{}; }},
  };
  auto found = models.find(name);
  if (found == models.end()) throw std::runtime_error("the runner does not know the model " + name);
  return found->second();
}

// Of "PRNGKey(42)" or "RngStreams(seed=42).init_rngs()".
nn::Rngs rngs_of(const std::string& text) {
  konfig::Dict args;
  if (text.starts_with("PRNGKey")) {
    args.set("init_seed", std::int64_t{std::stoll(text.substr(text.find('(') + 1))});
  } else {
    args.set("init_rngs", text);
  }
  return init_rngs(args);
}

}  // namespace

Tensors run_module_keys(const RandomCase& c) {
  const konfig::Dict& args = c.args;
  Tensors out;
  Tensor x = at::ones({1, 2});
  if (c.name.starts_with("flax_init/")) {
    nn::With with{.rngs = rngs_of(args.at("rngs").as<std::string>())};
    add_leaves(out, "", nn::initialize(model_of(args.at("module").as<std::string>()), with, x));
    return out;
  }
  nn::With with;
  for (auto& [name, words] : c.inputs) with.rngs.emplace(name, keys_of(words).at(0));
  auto* model = args.find("module");
  if (model) {
    with.mutable_collections = {"drawn"};
    const kd::Tree none;
    nn::detail::RunGuard run(false, none, with);
    model_of(model->as<std::string>())(x);
    add_leaves(out, "", run.take_sown("drawn"));
    return out;
  }
  bool applies = c.name.starts_with("flax_draws/apply");
  kd::Tree variables = FallBack{}.init({.rngs = kd::random::key(0)}, x);
  if (applies) with.mutable_collections = {"drawn"};
  const kd::Tree none;
  nn::detail::RunGuard run(!applies, applies ? variables : none, with);
  FallBack{}(x);
  add_leaves(out, "drawn", run.take_sown("drawn"));
  if (!applies) add_leaves(out, "params", run.take_variables()["params"]);
  return out;
}

}  // namespace golden
