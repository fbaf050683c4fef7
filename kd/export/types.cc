#include "kd/export/exporter.h"

KONFIG_REGISTER(kd::exports::ModelExporter);
KONFIG_REGISTER(kd::exports::NoopExporter);
