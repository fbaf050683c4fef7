#include "konfig/toy_test.h"

KONFIG_REGISTER(toy::Cosine);
KONFIG_REGISTER(toy::Adam);
KONFIG_REGISTER(toy::Sgd);
KONFIG_REGISTER(toy::Chain);
KONFIG_REGISTER(toy::NamedChain);
KONFIG_REGISTER(toy::L2);
KONFIG_REGISTER(toy::Elements);
KONFIG_REGISTER(toy::ValueRange);
KONFIG_REGISTER(toy::Tfds);
KONFIG_REGISTER(toy::EveryNSteps);
KONFIG_REGISTER(toy::Once);
KONFIG_REGISTER(toy::Evaluator, "toy:Evaluator");
KONFIG_REGISTER(toy::Trainer, "toy:Trainer");
