// What `resolve` built, as a config again: every field present, references followed, an object that
// is used twice one shared node. So it prints, compares and serialises like any config.
#pragma once

#include "konfig/value.h"

namespace cli {

konfig::Value resolved_tree(const konfig::Value& resolved);

// Resolves a config and gives the tree of it.
konfig::Value build_tree(const konfig::ConfigDict& cfg);

}  // namespace cli
