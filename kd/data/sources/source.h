// Source: the kind of component that holds records, each found by its number.
#pragma once

#include "kd/core/interfaces.h"

namespace kd {

class Source;  // kd/data/engine/records.h opens them

}  // namespace kd
