// Datasets in configs: the whole is resolved, so that seeds and references are those of a run.
#include "kd/inspect/engine/dataset_at.h"

#include <vector>

#include "kd/core/implement.h"
#include "kd/core/interfaces.h"
#include "konfig/load.h"
#include "konfig/resolve.h"
#include "konfig/suggest.h"
#include "konfig/to_value.h"
#include "konfig/type.h"

namespace kd::inspect {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Object;
using konfig::Value;

namespace {

// A field or an entry; None when there is no such name. `names` are those there are.
Value child(const Value& of, const std::string& name, std::vector<std::string>& names) {
  if (auto* object = of.get_if<Object>(); object && object->type) {
    for (const konfig::Field& field : object->type->fields) {
      names.emplace_back(field.name);
      if (field.name != name) continue;
      return konfig::to_value(field.type(),
                              static_cast<const char*>(object->ptr.get()) + field.offset);
    }
  } else if (auto* dict = of.get_if<Dict>()) {
    for (auto& [key, value] : *dict) {
      auto* text = key.get_if<std::string>();
      if (!text) continue;
      names.push_back(*text);
      if (*text == name) return value;
    }
  }
  return {};
}

Value at_path(Value value, const std::string& path) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    const std::string name = path.substr(at, dot - at);
    std::vector<std::string> names;
    value = child(value, name, names);
    if (value.is_none()) {
      throw Error(ErrorKind::key,
                  "the config has no dataset '" + path + "'" + konfig::did_you_mean(name, names));
    }
    at = dot + 1;
  }
  return value;
}

bool is_dataset(const Value& value) {
  auto* object = value.get_if<Object>();
  return object && object->type && detail::is_implemented<Pipeline>(object->type->name);
}

}  // namespace

data::Dataset dataset_at(const konfig::ConfigDict& config, const std::string& path) {
  const Value resolved = konfig::resolve(Value(config), {.freeze = false});
  Value found;
  std::string place = path;
  if (!path.empty()) {
    found = at_path(resolved, path);
  } else if (is_dataset(resolved)) {
    found = resolved;
  } else {
    std::vector<std::string> names;
    for (const char* name : {"train_ds", "eval_ds"}) {
      if (!found.is_none()) break;
      found = child(resolved, place = name, names);
    }
    if (found.is_none()) {
      throw Error(ErrorKind::key,
                  "the config has no train_ds; name a dataset in it: --ds=evals.eval.ds");
    }
  }
  if (!is_dataset(found)) {
    throw Error(ErrorKind::type,
                "'" + place + "' is " + konfig::describe(found) + ", not a dataset");
  }
  try {
    return data::open(konfig::load<Poly<Pipeline>>(found));
  } catch (const Error& e) {
    if (place.empty()) throw;
    throw e.within(place);
  }
}

}  // namespace kd::inspect
