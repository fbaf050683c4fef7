// Checks of optimizers' fields, and what a config names without calling it.
#include <set>

#include "kd/optim/combine.h"
#include "kd/optim/masks.h"
#include "kd/optim/scale_by_moments.h"
#include "kd/optim/transforms.h"
#include "kd/optim/wrappers.h"
#include "konfig/error.h"
#include "konfig/register.h"

namespace kd::optim {

bool Mask::is_none() const {
  if (auto* function = std::get_if<Poly<MaskFn>>(this)) return !*function;
  if (auto* tree = std::get_if<konfig::Value>(this)) return tree->is_none();
  return index() == 0;
}

using konfig::Error;
using konfig::ErrorKind;

void PairChain::konfig_post_resolve(const konfig::ConfigDict&) {
  std::set<std::string> names;
  for (auto& [name, transform] : transforms) {
    if (names.insert(name).second) continue;
    throw Error(ErrorKind::value, "two transformations are named '" + name + "'; names are unique");
  }
}

void Lookahead::konfig_post_resolve(const konfig::ConfigDict&) {
  if (sync_period >= 1) return;
  throw Error(ErrorKind::value, "sync_period",
              "expected 1 or more, got " + std::to_string(sync_period));
}

// As in the reference.
void EmaParams::konfig_post_resolve(const konfig::ConfigDict& node) {
  if (!node.contains("0")) return;
  throw Error(ErrorKind::type, "takes named arguments only: ema_params(decay=0.99)");
}

}  // namespace kd::optim

// A function without arguments of its own is named as a constant in configs of the reference.
KONFIG_CONSTANT("optax:skip_not_finite", kd::optim::SkipNotFinite{});
