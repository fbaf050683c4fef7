// The classes of a golden folder.
#include "tests/golden/tfimm_classes.h"

#include <cmath>
#include <stdexcept>

#include "base/replace_all.h"
#include "konfig/scalar_text.h"
#include "tfimm/train/registry.h"

namespace golden {

using konfig::Dict;
using konfig::List;
using konfig::Tuple;
using konfig::Value;
using tfimm::train::ConfigClassPtr;
using tfimm::train::Field;
using tfimm::train::FieldType;

namespace {

const std::string& text_at(const Dict& dict, const char* key) {
  return dict.at(key).as<std::string>();
}

FieldType field_type(const std::string& name) {
  static const std::map<std::string, FieldType> types = {
      {"int", FieldType::integer}, {"float", FieldType::floating}, {"bool", FieldType::boolean},
      {"str", FieldType::text},    {"tuple", FieldType::tuple},    {"Any", FieldType::any}};
  return types.at(name);
}

void register_class(const std::string& name, const ConfigClassPtr& cls, bool is_class) {
  tfimm::train::ClassEntry entry;
  entry.name = name;
  entry.cfg_class = cls;
  entry.is_class = is_class;
  entry.place = "cases.json";
  if (is_class) {
    entry.construct = [](const tfimm::train::Any&,
                         std::span<const tfimm::train::Argument>) -> tfimm::train::Made {
      throw std::logic_error("classes of the golden test have no code");
    };
  }
  tfimm::train::cfg_serializable(entry);
}

}  // namespace

TfimmClasses::TfimmClasses(const List& cases) {
  for (const Value& one : cases) {
    const Dict& c = one.as<Dict>();
    const std::string& group = text_at(c, "group");
    if (group == "classes") {
      for (const Value& described : c.at("args").as<Dict>().at("classes").as<List>()) {
        const Dict& d = described.as<Dict>();
        add(text_at(d, "name"), d.at("fields").as<List>());
        const Value& under = d.at("register");
        if (under == Value(false)) continue;
        const bool is_class = under.is<std::string>();
        register_class(is_class ? under.as<std::string>() : text_at(d, "name"),
                       at(text_at(d, "name")), is_class);
      }
    } else if (group == "shipped_classes") {
      const std::string& api = text_at(c, "api");
      const std::string name = api.substr(api.rfind('.') + 1);
      const Dict& outputs = c.at("outputs").as<Dict>();
      add(name, outputs.at("fields").as<List>());
      const List& configured = outputs.at("configures").as<List>();
      for (const Value& by : configured) register_class(by.as<std::string>(), at(name), true);
      const bool alone = configured.empty() && !outputs.at("registered_as").as<List>().empty();
      if (alone) register_class(name, at(name), false);
    }
  }
}

void TfimmClasses::add(const std::string& name, const List& described) {
  std::vector<Field> fields;
  for (const Value& one : described) {
    const List& d = one.as<List>();
    Field field{.name = d[0].as<std::string>(), .type = field_type(d[1].as<std::string>())};
    if (d.size() > 2) {
      auto* marked = d[2].get_if<Dict>();
      if (marked && marked->find("$factory")) {
        field.default_value = marked->at("$factory");
      } else if (!marked || !marked->find("$missing")) {
        field.default_value = decode(d[2], "");
      }
    }
    fields.push_back(std::move(field));
  }
  classes_[name] = tfimm::train::make_config_class(name, std::move(fields));
}

const ConfigClassPtr& TfimmClasses::at(const std::string& name) const { return classes_.at(name); }

Value TfimmClasses::decode(const Value& json, const std::string& folder) const {
  if (auto* text = json.get_if<std::string>()) return base::replace_all(*text, "DIR", folder);
  if (auto* list = json.get_if<List>()) {
    List out;
    for (const Value& item : *list) out.push_back(decode(item, folder));
    return out;
  }
  auto* dict = json.get_if<Dict>();
  if (!dict) return json;
  if (const Value* items = dict->find("$tuple")) {
    std::vector<Value> out;
    for (const Value& item : items->as<List>()) out.push_back(decode(item, folder));
    return Tuple(std::move(out));
  }
  Dict out;
  for (auto& [key, value] : *dict) {
    if (!(key == Value("$class"))) out.set(key, decode(value, folder));
  }
  const Value* cls = dict->find("$class");
  return cls ? tfimm::train::make_unchecked(at(cls->as<std::string>()), out) : Value(out);
}

Value TfimmClasses::encode(const Value& value, const std::string& folder) {
  if (auto* text = value.get_if<std::string>()) return base::replace_all(*text, folder, "DIR");
  if (auto* number = value.get_if<double>(); number && !std::isfinite(*number)) {
    return Dict{{"$float", konfig::repr_float(*number)}};
  }
  if (auto* list = value.get_if<List>()) {
    List out;
    for (const Value& item : *list) out.push_back(encode(item, folder));
    return out;
  }
  if (auto* tuple = value.get_if<Tuple>()) {
    List out;
    for (const Value& item : *tuple) out.push_back(encode(item, folder));
    return Dict{{"$tuple", out}};
  }
  Dict out;
  if (auto cls = tfimm::train::class_of(value)) {
    out.set("$class", cls->name);
    for (auto& [key, field] : tfimm::train::fields_of(value)) out.set(key, encode(field, folder));
    return out;
  }
  auto* dict = value.get_if<Dict>();
  if (!dict) return value;
  for (auto& [key, item] : *dict) out.set(key, encode(item, folder));
  return out;
}

}  // namespace golden
