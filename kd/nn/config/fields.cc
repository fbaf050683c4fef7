// Fields of modules that must not be given, and the precisions that configs name.
#include "kd/nn/attention/kd_attention.h"
#include "kd/nn/layers/kd_dropout.h"
#include "konfig/error.h"
#include "konfig/register.h"

namespace kd::nn {

namespace {

void refuse_deterministic(const std::optional<bool>& deterministic) {
  if (!deterministic) return;
  throw konfig::Error(konfig::ErrorKind::value, "deterministic",
                      "must not be given: the train property decides; give is_training_property to "
                      "init and apply");
}

}  // namespace

void Dropout::konfig_post_resolve(const konfig::ConfigDict&) {
  refuse_deterministic(deterministic);
}

void MultiHeadDotProductAttention::konfig_post_resolve(const konfig::ConfigDict&) {
  refuse_deterministic(deterministic);
}

}  // namespace kd::nn

// The reference has objects for them.
KONFIG_CONSTANT("jax.lax:Precision.DEFAULT", std::string("default"));
KONFIG_CONSTANT("jax.lax:Precision.HIGH", std::string("high"));
KONFIG_CONSTANT("jax.lax:Precision.HIGHEST", std::string("highest"));
