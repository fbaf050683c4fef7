#include "kd/also_named_impl.h"
#include "kd/writers/metric_writer.h"

KONFIG_REGISTER(kd::train::KDMetricWriter);
KONFIG_REGISTER(kd::train::NpzWriter);
KONFIG_REGISTER(kd::train::GifVideoWriter);
KONFIG_REGISTER(kd::train::MLFlowMetricWriter);
KONFIG_REGISTER(kd::train::MultiWriter);
KONFIG_REGISTER(kd::train::NoopWriter);
KONFIG_RUN(kd::contrib_named("train", {"NpzWriter", "GifVideoWriter", "MLFlowMetricWriter"}));
