// Names that the members of transformations use. Declared only: a header with components must do
// without libtorch.
#pragma once

#include <functional>

#include "kd/core/interfaces.h"

namespace kd {

class Tree;  // kd/core/tree.h

}  // namespace kd

namespace kd::optim {

struct Update;  // kd/optim/engine/optimizer_ops.h
class Fusion;   // kd/optim/engine/fusion.h
struct Skip;    // kd/optim/engine/skip.h

// What takes the place of an optimizer inside of another one.
using ChangePart = std::function<Poly<Optimizer>(const Poly<Optimizer>&)>;

}  // namespace kd::optim
