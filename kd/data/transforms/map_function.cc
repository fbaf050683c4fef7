// A function of a record as a transform.
#include "kd/data/map_function_impl.h"

#include "kd/core/tree.h"
#include "kd/data/engine/transform.h"

namespace kd::data {

Tree MapFunction::map(Tree record) const { return function(std::move(record)); }

}  // namespace kd::data

KD_IMPLEMENT(kd::Transform, kd::data::MapFunction);
