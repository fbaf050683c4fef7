// Sharding: how arrays are spread over devices. One process with one device keeps everything whole;
// the settings are accepted and kept, so that configs of larger runs load.
#pragma once

#include "kd/core/interfaces.h"
#include "konfig/config_dict.h"
#include "konfig/value.h"

namespace kd::sharding {

enum class Placement {
  FIRST_DIM,   // split along the first dimension
  REPLICATED,  // whole on each device
};

// One way to place an array.
struct Sharding {
  Placement name = Placement::REPLICATED;  // how arrays are placed
};

// Large arrays are split along their largest dimension.
struct FSDPSharding {
  double min_size_to_shard_mb = 4;  // smaller arrays stay whole
};

// What is placed how: a sharding, a function that gives one, a tree of them, or None.
struct ShardingStrategy {
  konfig::Value batch = {};                                        // None: split by example
  konfig::Value params = {};                                       // None: whole
  konfig::Value collections = {};                                  // None: as it comes
  konfig::Value opt_state = {};                                    // None: as it comes
  konfig::Value aux = {};                                          // None: whole
  void konfig_post_resolve(const konfig::ConfigDict& node) const;  // refuses what places nothing
};

}  // namespace kd::sharding

KONFIG_TYPE(kd::sharding::Sharding, "kauldron.kd:sharding.Sharding");
KONFIG_TYPE(kd::sharding::FSDPSharding, "kauldron.kd:sharding.FSDPSharding");
KONFIG_TYPE(kd::sharding::ShardingStrategy, "kauldron.kd:sharding.ShardingStrategy");
