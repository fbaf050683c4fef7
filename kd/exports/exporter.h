// Exporters: a model with its parameters, for other programs. What they do, and one of your own, is
// in kd/exports/engine/model.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kd/core/interfaces.h"
#include "konfig/config_dict.h"
#include "konfig/value.h"

namespace kd {

class ExporterFn;  // makes a model usable elsewhere

}  // namespace kd

namespace kd::exports {

class Model;  // kd/exports/engine/model.h, also kd::Model

// Where the reference's exported functions run.
enum class Platform { cpu, tpu, cuda, rocm };

// Writes the model's config and its parameters into a folder that kd::load_model reads. Named after
// the reference's, whose format needs JAX.
struct ModelExporter {
  std::string name = "train_model";  // of the folder
  // Where it is: "{workdir}/{name}" may stand in it. "": <workdir>/<name>.
  std::string path = "";
  std::string path_template = "";  // the same under its other name, with {train_or_eval}, too
  konfig::Value batch_specs = {};  // no effect: the model takes batches of any size
  std::vector<Platform> platforms = {Platform::cpu,
                                     Platform::tpu};  // no effect: all read the files
  int vjp_order = 1;                                  // no effect: the program computes gradients
  std::optional<std::string> model_method = {};       // must be None or "__call__"
  void konfig_post_resolve(const konfig::ConfigDict& node) const;
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
