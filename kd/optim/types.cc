#include "kd/optim/optimizers.h"

KONFIG_REGISTER(kd::optim::Adam);
KONFIG_REGISTER(kd::optim::Sgd);
KONFIG_REGISTER(kd::optim::ClipByGlobalNorm);
KONFIG_REGISTER(kd::optim::Chain);
KONFIG_REGISTER(kd::optim::NamedChain);
KONFIG_REGISTER(kd::optim::WarmupCosineDecay);
KONFIG_REGISTER(kd::optim::CosineDecay);
KONFIG_REGISTER(kd::optim::ConstantSchedule);
