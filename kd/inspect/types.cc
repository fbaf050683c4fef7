#include "kd/inspect/profiler.h"

KONFIG_REGISTER(kd::inspect::Profiler);
KONFIG_REGISTER(kd::inspect::NoopProfiler);
