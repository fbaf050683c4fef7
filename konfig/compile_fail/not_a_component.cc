// A struct that was not declared as a component of the interface.
#include "konfig/config.h"

struct Optimizer;
struct Adam {
  double b1 = 0.9;
};
struct Trainer {
  konfig::Poly<Optimizer> optimizer = {};
};

void write() {
  konfig::Config<Trainer> cfg;
  cfg.optimizer = Adam{};
}
