// A reference of another type than the field it is bound to.
#include "konfig/config.h"

struct Trainer {
  int seed = 0;
  std::string workdir = "";
};

void write() {
  konfig::Config<Trainer> cfg;
  cfg[cfg.seed] = cfg.ref(cfg.workdir);
}
