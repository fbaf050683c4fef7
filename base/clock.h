// The time of day as a number, for records.
#pragma once

namespace base {

double now();  // seconds since 1970

}  // namespace base
