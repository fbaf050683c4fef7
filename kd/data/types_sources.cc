// Registers the sources.
#include "kd/data/sources.h"

KONFIG_REGISTER(kd::data::Idx);
KONFIG_REGISTER(kd::data::Npy);
KONFIG_REGISTER(kd::data::Npz);
KONFIG_REGISTER(kd::data::Safetensors);
KONFIG_REGISTER(kd::data::Csv);
KONFIG_REGISTER(kd::data::JsonLines);
KONFIG_REGISTER(kd::data::JsonList);
KONFIG_REGISTER(kd::data::ImageFolder);
KONFIG_REGISTER(kd::data::Cifar);
KONFIG_REGISTER(kd::data::TfRecord);
KONFIG_REGISTER(kd::data::TfdsFolder);
