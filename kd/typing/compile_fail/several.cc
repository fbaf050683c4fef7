// Several dims in arithmetic.
#include "kd/typing/spec.h"

kd::typing::SpecOf<"(*b)"> spec;
