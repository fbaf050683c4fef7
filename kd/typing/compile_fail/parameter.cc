// A wrong shape in a parameter: the first line of the compiler is the reason.
#include "kd/typing/typing.h"

kd::Tensor call(kd::Float<"b h w c?d"> image) { return image; }
