// Values of the kxm cases: `{"$new": class, ...}` is an object, `{"$cfg": ...}` a config.
#pragma once

#include "konfig/value.h"

namespace golden {

// Objects become maps with `__qualname__`.
konfig::Value decode_kxm(const konfig::Value& json);
// The same as a config, for experiments.
konfig::ConfigDict decode_node(const konfig::Value& json);
// Back to the notation of the cases.
konfig::Value encode_kxm(const konfig::Value& value);

}  // namespace golden
