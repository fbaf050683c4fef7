#include "kd/train/trainer.h"

KONFIG_REGISTER(kd::train::RngStream, "kauldron.kd:train.RngStream");
KONFIG_REGISTER(kd::train::RngStreams, "kauldron.kd:train.RngStreams");
KONFIG_REGISTER(kd::train::Setup, "kauldron.kd:train.Setup");
KONFIG_REGISTER(kd::train::Trainer, "kauldron.kd:train.Trainer");
KONFIG_REGISTER(kd::train::TrainStep);
KONFIG_REGISTER(kd::train::MultiTrainStep);
KONFIG_REGISTER(kd::train::NoopTrainStep);
