// A field of a type that no config can hold.
#include "konfig/register.h"

struct Model {
  int* pointer = nullptr;
};

KONFIG_REGISTER(Model);
