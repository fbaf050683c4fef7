#include "kd/checkpoints/checkpointer.h"

KONFIG_REGISTER(kd::ckpts::Checkpointer);
