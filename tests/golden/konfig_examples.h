// The example configs of the reference: printed, saved, swept and resolved.
#pragma once

#include "tests/golden/konfig_sources.h"
#include "tests/golden/walk.h"

namespace golden {

Problems run_example(const konfig::Dict& c, Sources& sources, Differences& differences);

}  // namespace golden
