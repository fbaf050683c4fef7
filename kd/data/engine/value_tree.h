// Plain values (of JSON, of configs) as trees.
#pragma once

#include "kd/core/tree.h"
#include "konfig/value.h"

namespace kd::data {

// Numbers become tensors without dimensions (int64, float64, bool), lists of numbers tensors, texts
// texts, dicts dicts. A list of anything else stays a list.
Tree tree_of(const konfig::Value& value);

}  // namespace kd::data
