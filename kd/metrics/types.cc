#include "kd/metrics/metrics.h"

KONFIG_REGISTER(kd::metrics::Norm);
KONFIG_REGISTER(kd::metrics::Accuracy);
