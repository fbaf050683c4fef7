// Registers combinations of optimizers, wrappers around one, and masks.
#include <set>

#include "kd/also_named_impl.h"
#include "kd/optim/combine.h"
#include "kd/optim/masks.h"
#include "kd/optim/wrappers.h"
#include "konfig/error.h"

namespace kd {

bool Mask::is_none() const {
  if (auto* function = std::get_if<Poly<MaskFn>>(this)) return !*function;
  if (auto* tree = std::get_if<konfig::Value>(this)) return tree->is_none();
  return index() == 0;
}

namespace optim {

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

namespace {

// A function without arguments of its own is named as a constant in configs of the reference.
bool register_skip_not_finite() {
  konfig::Symbol symbol = konfig::get_symbol("optax:skip_not_finite");
  const SkipNotFinite value;
  symbol.constant = konfig::to_value(konfig::type_of<SkipNotFinite>(), &value);
  konfig::register_symbol(std::move(symbol));
  return true;
}

}  // namespace
}  // namespace optim
}  // namespace kd

// Their former names; what is written has the new one.
KONFIG_RUN(konfig::detail::register_type<kd::optim::Partition>("optax:multi_transform"));
KONFIG_RUN(konfig::detail::register_type<kd::optim::InjectHyperparams>(
    "optax:inject_stateful_hyperparams"));

KONFIG_REGISTER(kd::optim::Chain);
KONFIG_REGISTER(kd::optim::NamedChain);
KONFIG_REGISTER(kd::optim::PairChain);
KONFIG_REGISTER(kd::optim::Masked);
KONFIG_REGISTER(kd::optim::Freeze);
KONFIG_REGISTER(kd::optim::Partition);
KONFIG_REGISTER(kd::optim::SelectiveTransform);
KONFIG_REGISTER(kd::optim::PartialUpdates);
KONFIG_REGISTER(kd::optim::MultiOptimizer);
KONFIG_REGISTER(kd::optim::UseEmaParams);
KONFIG_REGISTER(kd::optim::Select);
KONFIG_REGISTER(kd::optim::Exclude);
KONFIG_REGISTER(kd::optim::MultiSteps);
KONFIG_REGISTER(kd::optim::SkipNotFinite);
KONFIG_REGISTER(kd::optim::SkipLargeUpdates);
KONFIG_REGISTER(kd::optim::ApplyIfFinite);
KONFIG_REGISTER(kd::optim::ConditionallyTransform);
KONFIG_REGISTER(kd::optim::ConditionallyMask);
KONFIG_REGISTER(kd::optim::Lookahead);
KONFIG_REGISTER(kd::optim::Flatten);
KONFIG_REGISTER(kd::optim::InjectHyperparams);
KONFIG_RUN(kd::optim::register_skip_not_finite());
KONFIG_RUN(kd::contrib_named("train", {"multi_optimizer"}));
