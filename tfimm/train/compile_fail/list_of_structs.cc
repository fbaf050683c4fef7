// A list of configs: only single configs have flags.
#include "tfimm/train/train.h"

struct Layer {
  int width = 1;
};
struct Config {
  std::vector<Layer> layers = {};
};

CFG_SERIALIZABLE(Config);
