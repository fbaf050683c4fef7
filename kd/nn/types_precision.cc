#include "kd/nn/precision.h"

KONFIG_REGISTER(kd::nn::MixedPrecision);
