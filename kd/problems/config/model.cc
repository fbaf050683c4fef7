// The models of experiments as modules.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/join.h"
#include "kd/problems/lower_impl.h"
#include "kd/problems/model_factory.h"
#include "kd/problems/modules.h"
#include "kd/problems/values_impl.h"
#include "konfig/json.h"
#include "konfig/konfig.h"
#include "konfig/registry.h"
#include "konfig/suggest.h"

namespace kd::problems {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Symbol;
using konfig::Value;

namespace {

// A model of any type, so that its config can be resolved alone.
struct Holder {
  Poly<kd::Module> model;
};

Poly<kd::Module> resolved(const ConfigDict& node) {
  return konfig::resolve<Holder>(ConfigDict{{"model", Value(node)}})->model;
}

// What a config says of a model, by the names of ModelConfig and of other libraries.
struct Setting {
  std::vector<const char*> names;
  Value value;  // None: not said
};

template <class T>
Value unless(const T& value, const T& nothing) {
  return value == nothing ? Value() : Value(value);
}

constexpr std::pair<const char*, const char*> kModels[] = {{"mlp", "kd.problems:Mlp"},
                                                           {"cnn", "kd.problems:Cnn"},
                                                           {"resnet18", "kd.problems:ResNet18"},
                                                           {"vit_tiny", "kd.problems:VitTiny"}};

bool is_module(const Symbol& symbol) {
  return symbol.type && symbol.interface == konfig::type_name<kd::Module>;
}

// By the name of a model here, the whole name of a module, or its last part.
const Symbol& find_module(const std::string& name) {
  for (auto& [known, qualname] : kModels) {
    if (name == known) return *konfig::find_symbol(qualname);
  }
  std::vector<const Symbol*> found;
  std::vector<std::string> names;
  for (auto& [known, qualname] : kModels) names.emplace_back(known);
  for (const Symbol* symbol : konfig::all_symbols()) {
    if (!is_module(*symbol)) continue;
    const std::string last = symbol->qualname.substr(symbol->qualname.find_last_of(":.") + 1);
    names.push_back(last);
    if (symbol->qualname == name || last == name) found.push_back(symbol);
  }
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    throw Error(ErrorKind::value, "model_name",
                "there is no model '" + name + "'" + konfig::did_you_mean(name, names) +
                    "; there are mlp, cnn, resnet18, vit_tiny, and every registered module");
  }
  throw Error(ErrorKind::value, "model_name",
              "'" + name + "' may be " + base::join_or(found, [](const Symbol* s) {
                return s->qualname;
              }) + "; give the whole name");
}

Poly<kd::Module> module_of(const std::string& name, const std::vector<Setting>& settings) {
  const Symbol& symbol = find_module(name);
  ConfigDict node = konfig::call(symbol.qualname);
  for (const Setting& setting : settings) {
    if (setting.value.is_none()) continue;
    const auto field =
        std::ranges::find_if(setting.names, [&](const char* n) { return symbol.type->find(n); });
    if (field == setting.names.end()) {
      throw Error(ErrorKind::unsupported, setting.names.front(),
                  name + " has no such setting; leave it out, or choose a model that has one");
    }
    node[*field] = setting.value;
  }
  for (const konfig::Field& field : symbol.type->fields) {
    if (field.type().kind != konfig::Kind::required || node.contains(field.name)) continue;
    throw Error(ErrorKind::unsupported, "model_name",
                name + " needs '" + std::string(field.name) +
                    "', which no setting here gives; choose a module whose fields have defaults, "
                    "or write a model class of your own");
  }
  return resolved(node);
}

void refuse_pretrained(const std::string& pretrained, const char* field, const char* instead) {
  if (pretrained.empty()) return;
  throw Error(ErrorKind::unsupported, field,
              "nothing is downloaded; give a file of weights in " + std::string(instead) +
                  ", as .safetensors or a saved model");
}

// Pixels from 0 to 255 as numbers from -1 to 1.
constexpr double kMiddle = 127.5;

}  // namespace

ModelParts ModelFactory::model() const {
  refuse_pretrained(cfg.pretrained, "pretrained", "model_path");
  check_size(cfg.input_size, "input_size");
  check_count(cfg.in_channels, "in_channels", "those of the data");
  check_count(cfg.nb_classes, "nb_classes", "as many as the model has by itself");
  check_number(cfg.drop_rate, "drop_rate", 1.0);
  check_number(cfg.drop_path_rate, "drop_path_rate", 1.0);
  check_number(cfg.attn_drop_rate, "attn_drop_rate", 1.0);
  return {.module = Preprocess{.model = module_of(
                                   *cfg.model_name,
                                   {{{"nb_classes", "num_classes"}, unless(cfg.nb_classes, -1)},
                                    {{"drop_rate", "dropout_rate"}, unless(cfg.drop_rate, 0.0)},
                                    {{"drop_path_rate"}, unless(cfg.drop_path_rate, 0.0)},
                                    {{"attn_drop_rate"}, unless(cfg.attn_drop_rate, 0.0)}}),
                               .mean = {kMiddle},
                               .std = {kMiddle},
                               .input_size = cfg.input_size,
                               .in_channels = cfg.in_channels},
          .weights = cfg.model_path,
          .weights_field = "model_path"};
}

ModelParts EmbeddingModelFactory::model() const {
  refuse_pretrained(cfg.backbone_pretrained, "backbone_pretrained", "backbone_model_path");
  check_count(cfg.embed_dim, "embed_dim", "as long as the model has it by itself");
  const ModelConfig backbone{.model_name = *cfg.backbone_name,
                             .model_path = cfg.backbone_model_path,
                             .input_size = cfg.input_size,
                             .in_channels = cfg.in_channels,
                             .nb_classes = cfg.embed_dim,
                             .drop_rate = cfg.drop_rate,
                             .drop_path_rate = cfg.drop_path_rate,
                             .attn_drop_rate = cfg.attn_drop_rate};
  ModelParts out = ModelFactory(backbone).model();
  out.without = {"head"};
  out.weights_field = "backbone_model_path";
  return out;
}

ModelParts SavedModel::model() const {
  const fs::path file = fs::path(*cfg.path) / "model.json";
  const auto text = base::try_read_file(file);
  if (!text) {
    throw Error(ErrorKind::value, "path",
                *cfg.path + ": not a saved model: there is no " + file.string());
  }
  return {
      .module = Preprocess{.model = resolved(konfig::config_from_json(*text)),
                           .mean = cfg.mean,
                           .std = cfg.std,
                           .dtype = dtype_of(cfg.dtype.empty() ? "float32" : cfg.dtype, "dtype")},
      .weights = *cfg.path,
      .weights_field = "path"};
}

}  // namespace kd::problems
