// A base class with fields.
#include "konfig/register.h"

struct Base {
  int a = 0;
};
struct Model : Base {
  int b = 0;
};

KONFIG_REGISTER(Model);
