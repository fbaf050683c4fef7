#include "tfimm/train/formats.h"

#include "base/join.h"
#include "konfig/load.h"
#include "konfig/node.h"
#include "tfimm/train/registry.h"
#include "tfimm/train/values_impl.h"

namespace tfimm::train {

using konfig::Error;
using konfig::ErrorKind;

namespace {

const std::string& text_key(const Value& key) {
  auto* text = key.get_if<std::string>();
  if (!text) throw Error(ErrorKind::key, "a key is text, not " + key.repr());
  return *text;
}

// "n" for "n_class"; "" for a key that names no class.
std::string stem_of(const std::string& key) {
  if (!key.ends_with(kClassSuffix)) return "";
  return key.substr(0, key.size() - kClassSuffix.size());
}

std::string class_key(const std::string& key) { return key + std::string(kClassSuffix); }

Dict object_to_dict(const Value& object, int& depth);

Dict map_to_dict(const Dict& cfg, int& depth) {
  konfig::detail::DepthGuard guard(depth);
  Dict out;
  for (auto& [key, value] : cfg) {
    if (auto* map = value.get_if<Dict>()) {
      out.set(key, map_to_dict(*map, depth));
    } else if (class_of(value)) {
      out.set(key, object_to_dict(value, depth));
    } else {
      out.set(key, value);
    }
  }
  return out;
}

Dict object_to_dict(const Value& object, int& depth) {
  const Dict fields = fields_of(object);
  std::vector<std::string> missing;
  for (const Field& field : class_of(object)->fields) {
    if (!fields.find(field.name)) missing.push_back("'" + field.name + "'");
  }
  if (!missing.empty()) {
    throw Error(ErrorKind::required,
                class_of(object)->name + " needs " + base::join(missing, ", "));
  }
  return map_to_dict(fields, depth);
}

// The class that the map at `key` is a config of; nullptr: it is to be None.
ConfigClassPtr class_at(const Dict& cfg, const std::string& key) {
  const Value* name = cfg.find(class_key(key));
  if (!name) {
    throw Error(ErrorKind::key, "a map inside a config needs '" + class_key(key) +
                                    "' beside it, the name of its class");
  }
  if (name->is_none()) return nullptr;
  auto* text = name->get_if<std::string>();
  if (!text) {
    throw Error(ErrorKind::type,
                "'" + class_key(key) + "': expected the name of a class, got " + name->repr());
  }
  return text->empty() ? nullptr : get_cfg_class(*text);
}

Dict classes(const Dict& cfg, const ConfigClass* outer, int& depth) {
  konfig::detail::DepthGuard guard(depth);
  Dict out;
  for (auto& [k, value] : cfg) {
    const std::string& key = text_key(k);
    auto* map = value.get_if<Dict>();
    if (!map) {
      out.set(key, value);
      continue;
    }
    const Field* field = outer ? outer->find(key) : nullptr;
    const bool fixed = field && field->type == FieldType::config;
    try {
      const ConfigClassPtr cls = fixed ? field->config : class_at(cfg, key);
      out.set(key, cls ? make_object(cls, classes(*map, cls.get(), depth)) : Value());
    } catch (const Error& e) {
      throw e.within(key);
    }
  }
  return out;
}

void flatten(const Dict& cfg, const std::string& prefix, Dict& out, int& depth) {
  konfig::detail::DepthGuard guard(depth);
  for (auto& [k, value] : cfg) {
    const std::string key = prefix + text_key(k);
    if (auto* map = value.get_if<Dict>()) {
      flatten(*map, key + ".", out, depth);
    } else if (out.find(key)) {
      throw Error(ErrorKind::key, "'" + key + "' is given twice, as a map and with a dot");
    } else {
      out.set(key, value);
    }
  }
}

[[noreturn]] void fail_both(const std::string& key, const std::string& inside) {
  throw Error(ErrorKind::key, "'" + key + "' is given as a value, and '" + inside +
                                  "' as if it were a map; it cannot be both");
}

void unflatten(Dict& out, const std::string& prefix, const Dict& cfg, int& depth);

// Puts one entry, whose key may have dots, where it belongs.
void place(Dict& out, const std::string& prefix, const std::string& key, const Value& value,
           int& depth) {
  konfig::detail::DepthGuard guard(depth);
  const auto dot = key.find('.');
  const std::string first = key.substr(0, dot);
  const std::string path = prefix + first;
  const Value* old = out.find(first);
  auto* map = value.get_if<Dict>();
  if (dot == key.npos && !map) {
    if (old && old->is<Dict>()) fail_both(path, path + ".*");
    if (old) throw Error(ErrorKind::key, "'" + path + "' is given twice");
    out.set(first, value);
    return;
  }
  if (old && !old->is<Dict>()) fail_both(path, prefix + key);
  Dict below = old ? old->as<Dict>() : Dict();
  out.set(first, below);
  if (dot == key.npos) return unflatten(below, path + ".", *map, depth);
  place(below, path + ".", key.substr(dot + 1), value, depth);
}

void unflatten(Dict& out, const std::string& prefix, const Dict& cfg, int& depth) {
  for (auto& [k, value] : cfg) place(out, prefix, text_key(k), value, depth);
}

Dict check(const Dict& cfg, int& depth);

Value checked_class(const std::string& key, const Value& value) {
  if (value.is_none()) return "";
  if (!value.is<std::string>()) {
    throw Error(ErrorKind::value, key + ": expected the name of a class, got " + value.repr());
  }
  return value;
}

// What stands beside `key_class`.
Value checked_config(const std::string& key, const Value& value, int& depth) {
  if (value.is_none()) return Dict();
  auto* map = value.get_if<Dict>();
  if (!map) {
    throw Error(ErrorKind::value, key + ": expected a map or None beside '" + class_key(key) +
                                      "', got " + value.repr());
  }
  try {
    return check(*map, depth);
  } catch (const Error& e) {
    throw e.within(key);
  }
}

Dict check(const Dict& cfg, int& depth) {
  konfig::detail::DepthGuard guard(depth);
  Dict out;
  for (auto& [k, value] : cfg) {
    const std::string& key = text_key(k);
    if (key.ends_with(kClassSuffix)) {
      out.set(key, checked_class(key, value));
      if (!cfg.find(stem_of(key))) out.set(stem_of(key), Dict());
    } else if (cfg.find(class_key(key))) {
      out.set(key, checked_config(key, value, depth));
    } else if (value.is<Dict>()) {
      throw Error(ErrorKind::value, key + ": a map inside a config needs '" + class_key(key) +
                                        "' beside it, the name of its class");
    } else {
      out.set(key, value);
    }
  }
  return out;
}

void print(const Dict& cfg, int indent, std::vector<std::string>& out) {
  const std::string space(static_cast<std::size_t>(indent), ' ');
  for (auto& [key, value] : cfg) {
    if (auto* map = value.get_if<Dict>()) {
      out.push_back(space + detail::str(key) + ":");
      print(*map, indent + 2, out);
    } else {
      out.push_back(space + detail::str(key) + "=" + detail::str(value));
    }
  }
}

}  // namespace

Dict to_dict_format(const Value& cfg) {
  int depth = 0;
  if (auto* map = cfg.get_if<Dict>()) return map_to_dict(*map, depth);
  if (class_of(cfg)) return object_to_dict(cfg, depth);
  throw Error(ErrorKind::type, "expected a config or a map, got " + konfig::describe(cfg));
}

Dict to_cls_format(const Dict& cfg) {
  int depth = 0;
  return classes(cfg, nullptr, depth);
}

Dict to_cls_format(const Dict& cfg, const ConfigClass& outer) {
  int depth = 0;
  return classes(cfg, &outer, depth);
}

Value from_dict(const ConfigClassPtr& cls, const Dict& cfg) {
  return make_object(cls, to_cls_format(cfg, *cls));
}

Dict deep_to_flat(const Dict& cfg) {
  Dict out;
  int depth = 0;
  flatten(cfg, "", out, depth);
  return out;
}

Dict flat_to_deep(const Dict& cfg) {
  Dict out;
  int depth = 0;
  unflatten(out, "", cfg, depth);
  return out;
}

Dict check_format(const Dict& cfg) {
  int depth = 0;
  return check(cfg, depth);
}

Dict to_arg_format(const Dict& cfg) {
  Dict out;
  for (auto& [key, value] : cfg) {
    if (auto* map = value.get_if<Dict>()) {
      out.set(key, to_arg_format(*map));
    } else {
      const Field field{.name = "", .type = detail::type_of_value(value)};
      out.set(key, konfig::Tuple{type_name(field),
                                 value.is<konfig::List>() ? detail::as_tuple(value) : value});
    }
  }
  return out;
}

std::vector<std::string> pprint_lines(const Value& cfg) {
  std::vector<std::string> out;
  print(to_dict_format(cfg), 2, out);
  return out;
}

std::string pprint(const Value& cfg) {
  std::string out;
  for (const std::string& line : pprint_lines(cfg)) out += line + "\n";
  return out;
}

}  // namespace tfimm::train
