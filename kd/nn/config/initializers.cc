// Initializers that layers share as defaults, and those that configs name without calling them.
#include <memory>

#include "kd/nn/initializers/initializers_scaled.h"
#include "konfig/register.h"

namespace kd::nn::initializers {
namespace {

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

// The only two that are initializers themselves, not functions that make one.
KONFIG_CONSTANT("flax.linen:initializers.zeros", kd::nn::initializers::Zeros{});
KONFIG_CONSTANT("flax.linen:initializers.ones", kd::nn::initializers::Ones{});
KONFIG_CONSTANT("jax.nn:initializers.zeros", kd::nn::initializers::Zeros{});
KONFIG_CONSTANT("jax.nn:initializers.ones", kd::nn::initializers::Ones{});
