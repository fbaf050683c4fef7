// Registers pipelines and what they are made of.
#include "kd/data/pipelines.h"
#include "kd/data/types_impl.h"

KONFIG_REGISTER(kd::data::py::Tfds);
KONFIG_REGISTER(kd::data::py::DataSource);
KONFIG_REGISTER(kd::data::py::Json);
KONFIG_REGISTER(kd::data::py::Mix);
KONFIG_REGISTER(kd::data::py::SelectFromDatasets);
KONFIG_REGISTER(kd::data::InMemoryPipeline);
KONFIG_REGISTER(kd::data::ReadOptions, "grain.python:ReadOptions");
