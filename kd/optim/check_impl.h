// Checks of the trees that transformations get. Library only.
#pragma once

#include "kd/core/tree.h"

namespace kd::optim {

// An Error names a parameter that is no floating-point number.
void check_parameters(const Tree& params);

}  // namespace kd::optim
