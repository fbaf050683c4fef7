// Source: the kind of component that holds records, each found by its number.
#pragma once

#include "kd/interfaces.h"

namespace kd {

class Source;  // kd/data/records.h opens them

}  // namespace kd
