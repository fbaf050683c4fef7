// Registers the initializers, also under their names in jax.nn and their second names.
#include <memory>

#include "kd/nn/initializers_scaled.h"
#include "konfig/registry.h"

KONFIG_REGISTER(kd::nn::initializers::Zeros);
KONFIG_REGISTER(kd::nn::initializers::Ones);
KONFIG_REGISTER(kd::nn::initializers::Constant);
KONFIG_REGISTER(kd::nn::initializers::Normal);
KONFIG_REGISTER(kd::nn::initializers::Uniform);
KONFIG_REGISTER(kd::nn::initializers::TruncatedNormal);
KONFIG_REGISTER(kd::nn::initializers::Orthogonal);
KONFIG_REGISTER(kd::nn::initializers::DeltaOrthogonal);
KONFIG_REGISTER(kd::nn::initializers::VarianceScaling);
KONFIG_REGISTER(kd::nn::initializers::LecunNormal);
KONFIG_REGISTER(kd::nn::initializers::LecunUniform);
KONFIG_REGISTER(kd::nn::initializers::GlorotNormal);
KONFIG_REGISTER(kd::nn::initializers::GlorotUniform);
KONFIG_REGISTER(kd::nn::initializers::HeNormal);
KONFIG_REGISTER(kd::nn::initializers::HeUniform);

namespace kd::nn::initializers {
namespace {

void also_as(const std::string& known, const std::string& name) {
  konfig::Symbol symbol = konfig::get_symbol("flax.linen:initializers." + known);
  for (const char* module : {"flax.linen:initializers.", "jax.nn:initializers."}) {
    if (name == known && symbol.qualname.starts_with(module)) continue;
    symbol.qualname = module + name;
    konfig::register_symbol(symbol);
  }
}

bool register_other_names() {
  for (const char* name : {"constant", "normal", "uniform", "truncated_normal", "orthogonal",
                           "delta_orthogonal", "variance_scaling", "lecun_normal", "lecun_uniform",
                           "glorot_normal", "glorot_uniform", "he_normal", "he_uniform"}) {
    also_as(name, name);
  }
  also_as("glorot_normal", "xavier_normal");
  also_as("glorot_uniform", "xavier_uniform");
  also_as("he_normal", "kaiming_normal");
  also_as("he_uniform", "kaiming_uniform");
  // The only two that are initializers themselves, not functions that make one.
  for (const std::string module : {"flax.linen:initializers.", "jax.nn:initializers."}) {
    konfig::detail::register_constant(module + "zeros", Zeros{});
    konfig::detail::register_constant(module + "ones", Ones{});
  }
  return true;
}

[[maybe_unused]] const bool kRegistered = register_other_names();

template <class T>
const Poly<Initializer>& shared() {
  static const Poly<Initializer>* poly = [] {
    auto* made = new Poly<Initializer>;  // never destroyed: used until the program ends
    made->set_object(konfig::type_of<T>(), std::make_shared<const T>());
    return made;
  }();
  return *poly;
}

}  // namespace

const Poly<Initializer>& zeros() { return shared<Zeros>(); }
const Poly<Initializer>& ones() { return shared<Ones>(); }
const Poly<Initializer>& lecun_normal() { return shared<LecunNormal>(); }
const Poly<Initializer>& orthogonal() { return shared<Orthogonal>(); }

}  // namespace kd::nn::initializers
