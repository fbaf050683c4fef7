// Exporters: a model with its parameters, for other programs. What they do, and one of your own, is
// in kd/exports/engine/model.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kd/core/interfaces.h"
#include "konfig/value.h"

namespace kd {

class ExporterFn;  // makes a model usable elsewhere

}  // namespace kd

namespace kd::exports {

class Model;  // kd/exports/engine/model.h, also kd::Model

// Writes the model's config and its parameters into a folder that kd::load_model reads. Named after
// the reference's, whose format needs JAX; the fields of that are accepted.
struct ModelExporter {
  std::string name = "train_model";              // of the folder
  std::string path = "";                         // "": <workdir>/<name>
  konfig::Value batch_specs = {};                // kept
  std::vector<std::string> platforms = {"cpu"};  // kept: the files are the same for all
  int vjp_order = 1;                             // kept: gradients are computed by the program
  void export_model(const Model& model, const std::filesystem::path& workdir) const;
  std::filesystem::path folder(const std::filesystem::path& workdir) const;  // where it writes
};

// Writes nothing.
struct NoopExporter {
  void export_model(const Model& model, const std::filesystem::path& workdir) const;
};

}  // namespace kd::exports

KONFIG_COMPONENT(kd::ExporterFn, kd::exports::ModelExporter, "kauldron.kd:export.JaxModelExporter");
KONFIG_COMPONENT(kd::ExporterFn, kd::exports::NoopExporter, "kauldron.kd:export.NoopExporter");
