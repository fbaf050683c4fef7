// Exporters: a model with its parameters, for other programs. What they do is in
// kd/export/model.h.
#pragma once

#include <string>
#include <vector>

#include "kd/interfaces.h"
#include "konfig/value.h"

namespace kd {

class ExporterFn;  // makes a model usable elsewhere

}  // namespace kd

namespace kd::exports {

// Writes the model's config and its parameters into a folder that kd::load_model reads. Named after
// the reference's, whose format needs JAX; the fields of that are accepted.
struct ModelExporter {
  std::string name = "train_model";              // of the folder
  std::string path = "";                         // "": <workdir>/<name>
  konfig::Value batch_specs = {};                // kept
  std::vector<std::string> platforms = {"cpu"};  // kept: the files are the same for all
  int vjp_order = 1;                             // kept: gradients are computed by the program
};

// Writes nothing.
struct NoopExporter {};

}  // namespace kd::exports

KONFIG_COMPONENT(kd::ExporterFn, kd::exports::ModelExporter, "kauldron.kd:export.JaxModelExporter");
KONFIG_COMPONENT(kd::ExporterFn, kd::exports::NoopExporter, "kauldron.kd:export.NoopExporter");
