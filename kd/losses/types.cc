// Registers the losses, as losses and as metrics.
#include "kd/losses/losses.h"
#include "kd/losses/types_impl.h"

KONFIG_REGISTER(kd::losses::Value);
KONFIG_REGISTER(kd::losses::AbsoluteValue);
KONFIG_REGISTER(kd::losses::L1);
KONFIG_REGISTER(kd::losses::L2);
KONFIG_REGISTER(kd::losses::Huber);
KONFIG_REGISTER(kd::losses::NegativeCosineSimilarity);
KONFIG_REGISTER(kd::losses::SoftmaxCrossEntropy);
KONFIG_REGISTER(kd::losses::SoftmaxCrossEntropyWithIntLabels);
KONFIG_REGISTER(kd::losses::SigmoidBinaryCrossEntropy);
KONFIG_RUN(kd::losses::register_as_metrics());
