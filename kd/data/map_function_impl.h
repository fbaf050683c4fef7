// A function of a record where a transform is expected. Configs name the function itself, so this
// header is not for users.
#pragma once

#include "kd/core/interfaces.h"
#include "konfig/callable.h"

namespace kd {
class Tree;  // kd/core/tree.h
}

namespace kd::data {

// Calls a function of a record.
struct MapFunction {
  konfig::Callable<Tree(Tree)> function;  // from a record to a record

  Tree map(Tree record) const;
};

}  // namespace kd::data
