// A name for one dim in one parameter and for several in another.
#include "kd/typing/typing.h"

kd::Tensor both(kd::Float<"*b h"> x, kd::Float<"b"> y) { return x + y; }

kd::Tensor run(const kd::Tensor& x) { return kd::typing::checked<both>(x, x); }
