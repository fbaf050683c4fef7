#include "kd/nn/modules.h"

KONFIG_REGISTER(kd::nn::Dense);
KONFIG_REGISTER(kd::nn::FlatAutoencoder);
KONFIG_REGISTER(kd::nn::Dropout);
