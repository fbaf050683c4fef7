// A field that does not exist.
#include "konfig/config.h"

struct Trainer {
  int num_train_steps = 0;
};

void write() {
  konfig::Config<Trainer> cfg;
  cfg.num_train_step = 3;
}
