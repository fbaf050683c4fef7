// A C array as a field.
#include "konfig/register.h"

struct Model {
  int width = 1;
  int sizes[3] = {};
  double rate = 0;
};

KONFIG_REGISTER(Model);
