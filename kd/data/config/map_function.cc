// Functions where a transform is expected.
#include "kd/data/map_function_impl.h"
#include "konfig/caller.h"

KONFIG_LOCAL_COMPONENT(kd::Transform, kd::data::MapFunction, "kd.data:MapFunction");
KONFIG_CALLER(kd::Transform, "kd.data:MapFunction");
