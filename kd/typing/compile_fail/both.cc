// A name for one dim and for several.
#include "kd/typing/spec.h"

kd::typing::SpecOf<"*b b"> spec;
