// Names that the members of transformations use. Declared only: a header with components must do
// without libtorch.
#pragma once

namespace kd {

class Tree;  // kd/core/tree.h

}  // namespace kd

namespace kd::optim {

struct Update;  // kd/optim/engine/optimizer_ops.h
class Fusion;   // kd/optim/fusion_impl.h
struct Skip;    // kd/optim/engine/skip.h

}  // namespace kd::optim
