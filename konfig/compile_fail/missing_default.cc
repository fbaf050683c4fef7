// An Inherit field without `= inherit`.
#include "konfig/register.h"

struct Evaluator {
  konfig::Inherit<int, "seed"> seed;
};

KONFIG_REGISTER(Evaluator);
