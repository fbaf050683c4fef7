// A reference into an open dictionary needs a type.
#include "konfig/config.h"

struct Trainer {
  int seed = 0;
  konfig::ConfigDict aux = {};
};

void write() {
  konfig::Config<Trainer> cfg;
  cfg[cfg.seed] = cfg.ref(cfg.aux["dim"]);
}
