// Registers pipelines and what they are made of.
#include "kd/also_named_impl.h"
#include "kd/data/pipelines.h"
#include "kd/data/pipelines_absent.h"
#include "kd/data/pipelines_tf.h"

KONFIG_REGISTER(kd::data::py::Tfds);
KONFIG_REGISTER(kd::data::py::DataSource);
KONFIG_REGISTER(kd::data::py::Json);
KONFIG_REGISTER(kd::data::py::Mix);
KONFIG_REGISTER(kd::data::py::SelectFromDatasets);
KONFIG_REGISTER(kd::data::InMemoryPipeline);
KONFIG_REGISTER(kd::data::tf::Tfds);
KONFIG_REGISTER(kd::data::tf::TfdsLegacy);
KONFIG_REGISTER(kd::data::tf::SampleFromDatasets);
KONFIG_REGISTER(kd::data::tf::ZipDatasets);
KONFIG_REGISTER(kd::data::tf::ElementSpecDataset);
KONFIG_REGISTER(kd::data::py::HuggingFace);
KONFIG_REGISTER(kd::data::tf::SeqIOTask);
KONFIG_REGISTER(kd::data::tf::SeqIOMixture);
KONFIG_REGISTER(kd::data::tf::ArraySpec, "etils.enp:ArraySpec");
KONFIG_REGISTER(kd::data::ReadOptions, "grain.python:ReadOptions");
