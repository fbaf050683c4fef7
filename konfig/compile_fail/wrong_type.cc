// A value of another type than the field.
#include "konfig/config.h"

struct Trainer {
  int seed = 0;
};

void write() {
  konfig::Config<Trainer> cfg;
  cfg.seed = "fast";
}
