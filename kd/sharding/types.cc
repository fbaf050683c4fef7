// The shardings that configs name.
#include "kd/sharding/sharding.h"
#include "konfig/register.h"

KONFIG_CONSTANT("kauldron.kd:sharding.FIRST_DIM",
                kd::sharding::Sharding{kd::sharding::Placement::FIRST_DIM});
KONFIG_CONSTANT("kauldron.kd:sharding.REPLICATED",
                kd::sharding::Sharding{kd::sharding::Placement::REPLICATED});
