// Settings that mean something to JAX, Borg or tf.data only.
#pragma once

#include "konfig/config_dict.h"

namespace cli {

// One remark on all fields that the config changes and whose doc begins with "no effect:", and on
// those that another field overrules, as in Kauldron: in datasets below a mixture, and beside a
// preservation policy. So is the sharding, which one device does not need. What would change a
// result is refused instead, by the component that has it.
void note_without_effect(const konfig::ConfigDict& cfg);

}  // namespace cli
