// Registers Flax's layers.
#include "kd/nn/activation.h"
#include "kd/nn/attention.h"
#include "kd/nn/conv.h"
#include "kd/nn/dense.h"
#include "kd/nn/dropout.h"
#include "kd/nn/embed.h"
#include "kd/nn/norm.h"
#include "kd/nn/sequential.h"
#include "konfig/registry.h"

KONFIG_REGISTER(kd::nn::Dense);
KONFIG_REGISTER(kd::nn::DenseGeneral);
KONFIG_REGISTER(kd::nn::Einsum);
KONFIG_REGISTER(kd::nn::Conv);
KONFIG_REGISTER(kd::nn::ConvLocal);
KONFIG_REGISTER(kd::nn::ConvTranspose);
KONFIG_REGISTER(kd::nn::Embed);
KONFIG_REGISTER(kd::nn::LayerNorm);
KONFIG_REGISTER(kd::nn::RMSNorm);
KONFIG_REGISTER(kd::nn::GroupNorm);
KONFIG_REGISTER(kd::nn::InstanceNorm);
KONFIG_REGISTER(kd::nn::BatchNorm);
KONFIG_REGISTER(kd::nn::PReLU);
KONFIG_REGISTER(kd::nn::linen::Dropout);
KONFIG_REGISTER(kd::nn::linen::MultiHeadDotProductAttention);
KONFIG_REGISTER(kd::nn::linen::SelfAttention);
KONFIG_REGISTER(kd::nn::linen::Sequential);

namespace {

// The reference has two names for one class, and objects for the precisions.
[[maybe_unused]] const bool kRegistered = [] {
  konfig::Symbol attention = konfig::get_symbol("flax.linen:MultiHeadDotProductAttention");
  attention.qualname = "flax.linen:MultiHeadAttention";
  konfig::register_symbol(attention);
  for (const char* name : {"DEFAULT", "HIGH", "HIGHEST"}) {
    std::string text = name;
    for (char& c : text) c = static_cast<char>(c - 'A' + 'a');
    konfig::detail::register_constant("jax.lax:Precision." + std::string(name), text);
  }
  return true;
}();

}  // namespace
