// Registers the dashboards.
#include "kd/inspect/dashboards.h"

KONFIG_REGISTER(kd::inspect::Plot, "kauldron.utils.kdash:Plot");
KONFIG_REGISTER(kd::inspect::SingleDashboard, "kauldron.utils.kdash:SingleDashboard");
KONFIG_REGISTER(kd::inspect::MetricDashboards, "kauldron.utils.kdash:MetricDashboards");
KONFIG_REGISTER(kd::inspect::MultiDashboards, "kauldron.utils.kdash:MultiDashboards");
KONFIG_REGISTER(kd::inspect::NoopDashboard, "kauldron.utils.kdash:NoopDashboard");
