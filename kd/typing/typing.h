// Shape-annotated tensors, in one header.
//
//   Tensor call(Float<"*b h w c"> image) const;       // says what it takes
//   typing::checked<&Mlp::call>(mlp, image);          // checks that it gets it
//
// kd/typing/spec.h has the language of shapes, kd/typing/checked.h the ways to check.
#pragma once

#include "kd/typing/annotated.h"
#include "kd/typing/checked.h"
