#include "kd/sharding/sharding.h"

KONFIG_REGISTER(kd::sharding::Sharding, "kauldron.kd:sharding.Sharding");
KONFIG_REGISTER(kd::sharding::FSDPSharding, "kauldron.kd:sharding.FSDPSharding");
KONFIG_REGISTER(kd::sharding::ShardingStrategy, "kauldron.kd:sharding.ShardingStrategy");
KONFIG_CONSTANT("kauldron.kd:sharding.FIRST_DIM", kd::sharding::Sharding{"FIRST_DIM"});
KONFIG_CONSTANT("kauldron.kd:sharding.REPLICATED", kd::sharding::Sharding{"REPLICATED"});
