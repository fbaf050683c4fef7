// A field of a type that no config can hold.
#include "tfimm/train/train.h"

struct Config {
  int width = 1;
  int* pointer = nullptr;
};

CFG_SERIALIZABLE(Config);
