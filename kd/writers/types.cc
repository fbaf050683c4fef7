#include "kd/also_named_impl.h"
#include "kd/writers/metric_writer.h"

KONFIG_REGISTER(kd::writers::KDMetricWriter);
KONFIG_REGISTER(kd::writers::NpzWriter);
KONFIG_REGISTER(kd::writers::GifVideoWriter);
KONFIG_REGISTER(kd::writers::MLFlowMetricWriter);
KONFIG_REGISTER(kd::writers::MultiWriter);
KONFIG_REGISTER(kd::writers::NoopWriter);
KONFIG_RUN(kd::contrib_named("train", {"NpzWriter", "GifVideoWriter", "MLFlowMetricWriter"}));
