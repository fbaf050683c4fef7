// The sweeps of the reference's example configs.
#pragma once

#include "tests/golden/konfig_sources.h"
#include "tests/golden/walk.h"

namespace golden {

// "train_ds.transforms" of a config.
konfig::Value part_of(const konfig::ConfigDict& cfg, const std::string& path);

// Compares the items that functions of a config.py yield with those recorded, and that each can be
// applied to the config.
void expect_sweeps(Problems& problems, const konfig::Dict& args, const konfig::Dict& outputs,
                   Sources& sources);

}  // namespace golden
