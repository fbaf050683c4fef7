// Models for other programs.
#include "kd/exports/engine/model.h"

#include "base/whole_folder.h"
#include "kd/core/durable.h"
#include "kd/core/ops.h"
#include "kd/io/safetensors.h"
#include "kd/nn/engine/apply.h"
#include "kd/nn/module/keys.h"
#include "kd/writers/engine/element_spec.h"
#include "konfig/json.h"
#include "konfig/konfig.h"
#include "konfig/lower.h"
#include "kontext/path.h"

namespace kd::exports {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

// Holds a model of any type, so that its config can be resolved alone.
struct Holder {
  Poly<Module> model;
};

constexpr const char* kConfig = "model.json";
constexpr const char* kTensors = "params.safetensors";
constexpr const char* kSpec = "element_spec.json";

// Dicts only: variables of models have no other containers.
Tree tree_of(const io::TensorMap& tensors) {
  Tree out = Tree::dict();
  for (auto& [name, tensor] : tensors) {
    Tree* at = &out;
    for (const kontext::Part& part : kontext::Path::parse(name)) at = &(*at)[part.name()];
    *at = Tree(tensor);
  }
  return out;
}

}  // namespace

Model::Model(Poly<Module> module, Tree params, Tree collections, Tree element_spec)
    : module_(std::move(module)),
      params_(params),
      variables_(collections.is_none() ? Tree::dict() : std::move(collections)),
      element_spec_(std::move(element_spec)) {
  variables_["params"] = std::move(params);
}

Tree Model::operator()(const Tree& batch) const {
  const Tree context = Tree::dict({{"batch", batch}});
  nn::Arguments arguments = nn::model_arguments(module_, context);
  nn::With with{.is_training_property = false};
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (variables_.name(i) != "params") with.mutable_collections.push_back(variables_.name(i));
  }
  nn::detail::RunGuard run(/*initializing=*/false, variables_, with);
  Tree out;
  kontext::TreeTraits<Tree>::assign(out, nn::call_module(module_, arguments).tree());
  return out;
}

Model load_model(const fs::path& folder) {
  if (!fs::exists(folder / kConfig)) {
    throw Error(ErrorKind::key, folder.string() + ": is no exported model: there is no " + kConfig);
  }
  const konfig::ConfigDict node = konfig::config_from_json(read_file(folder / kConfig));
  const auto holder = konfig::resolve<Holder>(konfig::ConfigDict{{"model", konfig::Value(node)}});
  Tree all = tree_of(io::load_safetensors(folder / kTensors));
  Tree spec =
      fs::exists(folder / kSpec) ? writers::parse_element_spec(read_file(folder / kSpec)) : Tree();
  Tree params = all.contains("params") ? all["params"] : Tree::dict();
  all.erase("params");
  return Model(holder->model, std::move(params), std::move(all), std::move(spec));
}

void check_replaceable(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::value, "exporter",
                folder.string() + what + "; an exported model gets a folder of its own: set path");
  };
  if (!fs::is_directory(folder)) fail(" is no folder");
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name != kConfig && name != kTensors && name != kSpec) fail(" has '" + name + "' in it");
  }
}

void save_model(const fs::path& folder, const Model& model) {
  check_replaceable(folder);
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path());
  auto fill = [&](const fs::path& aside) {
    write_synced(aside / kConfig,
                 konfig::to_json(konfig::lower(model.module()), {.indent = 2}) + "\n");
    io::TensorMap tensors;
    for (auto& [path, tensor] : flatten(model.variables())) {
      tensors.emplace(path, tensor.detach());
    }
    io::save_safetensors(aside / kTensors, tensors, {{"format", "kauldron"}});
    if (!model.element_spec().is_none()) {
      write_synced(aside / kSpec, writers::element_spec_json(model.element_spec()) + "\n");
    }
  };
  with_file_errors(
      [&] { base::write_folder(folder, fill, {.existing = base::Existing::replace}); });
}

void ModelExporter::export_model(const Model& model, const fs::path& workdir) const {
  save_model(folder(workdir), model);
}

void NoopExporter::export_model(const Model&, const fs::path&) const {}

void export_model(const Poly<ExporterFn>& exporter, const Model& model, const fs::path& workdir) {
  if (exporter) ops_of(exporter).export_model(exporter.object().get(), model, workdir);
}

bool exports_at_every_save(const Poly<ExporterFn>& exporter) {
  return exporter && ops_of(exporter).at_every_save;
}

}  // namespace kd::exports
