// From the `args` of an optim case to an object.
#include "kd/optim/components.h"
#include "konfig/register.h"
#include "konfig/resolve.h"
#include "tests/golden/optim_case.h"

namespace golden {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Value;

int k_schedule(int gradient_step) { return 1 + gradient_step / 2; }

bool is_node(const Value& value, const char* key) {
  auto* dict = value.get_if<Dict>();
  return dict && dict->find(key);
}

// Whether the field of a registered type takes a schedule.
bool takes_schedule(const std::string& qualname, const std::string& name) {
  const konfig::Symbol& symbol = konfig::get_symbol(qualname);
  const konfig::Field* field = symbol.type ? symbol.type->find(name) : nullptr;
  if (!field) return false;
  const konfig::Type* type = &field->type();
  if (type->kind == konfig::Kind::required || type->kind == konfig::Kind::optional) {
    type = &type->element();
  }
  return type->kind == konfig::Kind::variant;
}

Value written(const Value& value);

// In the reference a factory is called twice; here the optimizer stands in it.
Dict called(const Dict& node) {
  const std::string factory = node.at("inner_factory").as<Dict>().at("__const__").as<std::string>();
  Dict inner, schedules, out;
  inner.set("__qualname__", factory);
  for (auto& [key, value] : node.at("__call__").as<Dict>()) {
    const bool apart = is_node(value, "__qualname__") && key.is<std::string>() &&
                       !takes_schedule(factory, key.as<std::string>());
    (apart ? schedules : inner).set(key, written(value));
  }
  for (auto& [key, value] : node) {
    if (key == Value("__call__")) continue;
    out.set(key, key == Value("inner_factory") ? Value(inner) : written(value));
  }
  if (schedules.size() > 0) out.set("schedules", schedules);
  return out;
}

Value written(const Value& value) {
  if (auto* dict = value.get_if<Dict>()) {
    if (dict->find("__call__")) return called(*dict);
    Dict out;
    for (auto& [key, item] : *dict) out.set(key, written(item));
    return out;
  }
  if (auto* list = value.get_if<List>()) {
    List out;
    for (const Value& item : *list) out.push_back(written(item));
    return out;
  }
  return value;
}

}  // namespace

Value resolve_args(const Dict& args) {
  return konfig::resolve(Value(ConfigDict(written(args).as<Dict>())));
}

}  // namespace golden

KONFIG_CALLABLE("__main__:k_schedule", golden::k_schedule);
