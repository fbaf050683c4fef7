// Names that the members of transformations use. Declared only: a header with components must do
// without libtorch.
#pragma once

namespace kd {

class Tree;  // kd/tree/tree.h

}  // namespace kd

namespace kd::optim {

struct Update;  // kd/optim/optimizer_ops.h
class Fusion;   // kd/optim/fusion_impl.h
struct Skip;    // kd/optim/skip.h

}  // namespace kd::optim
