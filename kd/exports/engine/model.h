// Models for other programs: the config and the parameters in one folder.
//
//   const kd::Model model = kd::load_model("runs/a/train_model");
//   const kd::Tree preds = model(kd::Tree::dict({{"signal", images}}));
//
// The program needs the types of the model: the library's own, or those it is linked with.
//
// An exporter of your own is a struct with a member `export_model`, called when a run is done:
//
//   struct MyExporter {
//     void export_model(const kd::Model& model, const std::filesystem::path& workdir) const;
//   };
//   KD_COMPONENT(kd::ExporterFn, MyExporter);       // cfg.exporter = MyExporter{}
//
// With `static constexpr bool at_every_save = true;` it is called with each checkpoint, too.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "kd/core/implement.h"
#include "kd/core/interfaces.h"
#include "kd/core/tree.h"
#include "kd/exports/exporter.h"

namespace kd {

namespace exports {

// A model with its parameters. Calls change nothing, and may come from several threads.
class Model {
 public:
  Model(Poly<Module> module, Tree params, Tree collections, Tree element_spec);

  // What the model gives for a batch, in evaluation: no dropout, running statistics. The batch has
  // what the model's keys name: `batch.image` is "image".
  Tree operator()(const Tree& batch) const;

  const Poly<Module>& module() const { return module_; }
  const Tree& params() const { return params_; }
  const Tree& variables() const { return variables_; }        // params and collections
  const Tree& element_spec() const { return element_spec_; }  // of the batches it was trained with

 private:
  Poly<Module> module_;
  Tree params_, variables_, element_spec_;
};

// An Error names the file that is missing or does not fit.
Model load_model(const std::filesystem::path& folder);

// Writes model.json, params.safetensors and element_spec.json, aside at first: the folder is there
// as a whole or not at all. One that is there already is replaced; a folder with anything else in
// it is an Error, and stays.
void save_model(const std::filesystem::path& folder, const Model& model);
// An Error if a folder has anything but an exported model in it.
void check_replaceable(const std::filesystem::path& folder);

// What the exporter does with the model of a run; an empty Poly does nothing.
void export_model(const Poly<ExporterFn>& exporter, const Model& model,
                  const std::filesystem::path& workdir);

// Whether the exporter wants the model of each checkpoint.
bool exports_at_every_save(const Poly<ExporterFn>& exporter);

struct ExporterOps {
  bool at_every_save;
  void (*export_model)(const void* self, const Model& model, const std::filesystem::path& workdir);
};

}  // namespace exports

using exports::load_model;
using exports::Model;

template <>
struct Implement<ExporterFn> {
  using Ops = exports::ExporterOps;
  template <class T>
  static constexpr bool at_every_save() {
    if constexpr (requires { T::at_every_save; }) return T::at_every_save;
    return false;
  }
  template <class T>
  static constexpr Ops ops = {at_every_save<T>(), [](const void* self, const Model& model,
                                                     const std::filesystem::path& workdir) {
                                static_cast<const T*>(self)->export_model(model, workdir);
                              }};
};

}  // namespace kd
