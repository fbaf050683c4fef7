#include "kd/losses/losses.h"

KONFIG_REGISTER(kd::losses::L2);
KONFIG_REGISTER(kd::losses::L1);
KONFIG_REGISTER(kd::losses::SoftmaxCrossEntropyWithIntLabels);
