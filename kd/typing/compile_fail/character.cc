// A character that means nothing in a shape.
#include "kd/typing/spec.h"

kd::typing::SpecOf<"b, h"> spec;
