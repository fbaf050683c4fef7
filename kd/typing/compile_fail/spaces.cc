// Arithmetic with spaces and no brackets.
#include "kd/typing/spec.h"

kd::typing::SpecOf<"h * 2"> spec;
