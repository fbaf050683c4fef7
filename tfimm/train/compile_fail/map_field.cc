// A map: konfig has them, configs of the command line do not.
#include "tfimm/train/train.h"

struct Config {
  konfig::Map<int> sizes = {};
};
struct Problem {
  using cfg_class = Config;
};

CFG_SERIALIZABLE(Problem);
