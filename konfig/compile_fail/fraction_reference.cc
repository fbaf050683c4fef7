// A real number bound to a whole one.
#include "konfig/config.h"

struct Trainer {
  int steps = 0;
};

void write() {
  konfig::Config<Trainer> cfg;
  cfg[cfg.steps] = cfg.ref(cfg.steps) * 0.5;
}
