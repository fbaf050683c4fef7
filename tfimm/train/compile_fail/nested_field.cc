// A wrong field of a struct inside.
#include "tfimm/train/train.h"

struct Model {
  const char* name = "";
};
struct Config {
  Model model = {};
};

CFG_SERIALIZABLE(Config);
