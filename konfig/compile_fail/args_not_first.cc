// Open positional children behind another field.
#include "konfig/register.h"

struct Chain {
  int width = 1;
  konfig::Args<int> items = {};
};

KONFIG_REGISTER(Chain);
