// Registers Kauldron's own modules. Blocks and vision transformers register themselves where their
// named constructors are.
#include "kd/also_named_impl.h"
#include "kd/nn/autoencoder.h"
#include "kd/nn/embeddings.h"
#include "kd/nn/identity.h"
#include "kd/nn/kd_attention.h"
#include "kd/nn/kd_dropout.h"
#include "kd/nn/patchify.h"
#include "kd/nn/readout.h"
#include "kd/nn/rearrange.h"
#include "kd/nn/wrapper.h"
#include "konfig/error.h"

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

KONFIG_REGISTER(kd::nn::FlatAutoencoder);
KONFIG_REGISTER(kd::nn::Dropout);
KONFIG_REGISTER(kd::nn::MultiHeadDotProductAttention);
KONFIG_REGISTER(kd::nn::Identity);
KONFIG_REGISTER(kd::nn::DummyModel);
KONFIG_REGISTER(kd::nn::Rearrange);
KONFIG_REGISTER(kd::nn::Reduce);
KONFIG_REGISTER(kd::nn::Patchify);
KONFIG_REGISTER(kd::nn::PatchifyEmbed);
KONFIG_REGISTER(kd::nn::LearnedEmbedding);
KONFIG_REGISTER(kd::nn::FourierEmbedding);
KONFIG_REGISTER(kd::nn::ZeroEmbedding);
KONFIG_REGISTER(kd::nn::AddEmbedding);
KONFIG_REGISTER(kd::nn::AddLearnedEmbedding);
KONFIG_REGISTER(kd::nn::WrapperModule);
KONFIG_REGISTER(kd::nn::ExternalModule);
KONFIG_REGISTER(kd::nn::ReadoutWrapper);
KONFIG_RUN(kd::also_named("kauldron.kd:contrib.nn.ReadoutWrapper",
                          "kauldron.contrib.modules:ReadoutWrapper"));
