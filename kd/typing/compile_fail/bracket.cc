// A bracket that is not closed.
#include "kd/typing/spec.h"

kd::typing::SpecOf<"(h // 2"> spec;
