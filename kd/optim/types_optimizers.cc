// Registers the optimizers.
#include "kd/optim/adam.h"
#include "kd/optim/descent.h"
#include "kd/optim/layerwise.h"

KONFIG_REGISTER(kd::optim::Adam);
KONFIG_REGISTER(kd::optim::AdamW);
KONFIG_REGISTER(kd::optim::NAdam);
KONFIG_REGISTER(kd::optim::NAdamW);
KONFIG_REGISTER(kd::optim::Adamax);
KONFIG_REGISTER(kd::optim::AdamaxW);
KONFIG_REGISTER(kd::optim::Amsgrad);
KONFIG_REGISTER(kd::optim::RAdam);
KONFIG_REGISTER(kd::optim::AdaBelief);
KONFIG_REGISTER(kd::optim::Adan);
KONFIG_REGISTER(kd::optim::Yogi);
KONFIG_REGISTER(kd::optim::Sgd);
KONFIG_REGISTER(kd::optim::NoisySgd);
KONFIG_REGISTER(kd::optim::SignSgd);
KONFIG_REGISTER(kd::optim::Signum);
KONFIG_REGISTER(kd::optim::Lion);
KONFIG_REGISTER(kd::optim::Rprop);
KONFIG_REGISTER(kd::optim::OptimisticGradientDescent);
KONFIG_REGISTER(kd::optim::Adagrad);
KONFIG_REGISTER(kd::optim::Adadelta);
KONFIG_REGISTER(kd::optim::RmsProp);
KONFIG_REGISTER(kd::optim::Sm3);
KONFIG_REGISTER(kd::optim::Adafactor);
KONFIG_REGISTER(kd::optim::Lamb);
KONFIG_REGISTER(kd::optim::Lars);
KONFIG_REGISTER(kd::optim::Fromage);
KONFIG_REGISTER(kd::optim::Novograd);
KONFIG_REGISTER(kd::optim::OptimisticAdam);
KONFIG_REGISTER(kd::optim::OptimisticAdamV2);
