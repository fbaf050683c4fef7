#include "kd/data/pipelines.h"
#include "kd/data/transforms.h"

KONFIG_REGISTER(kd::data::Elements);
KONFIG_REGISTER(kd::data::ValueRange);
KONFIG_REGISTER(kd::data::Rearrange);
KONFIG_REGISTER(kd::data::py::Tfds);
