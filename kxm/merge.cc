#include "kxm/merge.h"

#include <algorithm>

#include "base/join.h"
#include "konfig/print.h"
#include "konfig/registry.h"
#include "konfig/suggest.h"
#include "konfig/type.h"
#include "kxm/job.h"
#include "kxm/proxies.h"

namespace kxm {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

constexpr std::string_view kJob = "kauldron.kxm:Job";

std::string qualname_of(const Dict& object) {
  auto* name = object.find(konfig::kQualname);
  return name && name->is<std::string>() ? name->as<std::string>() : "";
}

// "Job" of "kauldron.kxm:Job"; "dict" of a plain map.
std::string class_name(const Value& value) {
  auto* dict = value.get_if<Dict>();
  if (!dict) return std::string(value.type_name());
  const std::string name = qualname_of(*dict);
  return name.empty() ? "dict" : name.substr(name.find_last_of(".:") + 1);
}

const konfig::Type* type_of_object(const std::string& qualname) {
  auto* symbol = qualname.empty() ? nullptr : konfig::find_symbol(qualname);
  return symbol ? symbol->type : nullptr;
}

// A node without a field of its own, or a map without any.
bool is_empty(const Value& value) {
  auto* dict = value.get_if<Dict>();
  return dict && std::all_of(dict->begin(), dict->end(), [](auto& pair) {
           return pair.first == Value(konfig::kQualname) || is_empty(pair.second);
         });
}

// What nodes of jobs and experiments start with. An empty node of another kind, such as an executor
// of one's own, was given.
bool is_start(const Value& value) {
  if (!is_empty(value)) return false;
  const std::string name = qualname_of(value.as<Dict>());
  return name.empty() || name.starts_with("xmanager.") || name == "kauldron.kxm:Debug" ||
         name == "kauldron.kxm:InterpreterInfo" || name == "kauldron.kxm:MLPython";
}

// Nodes as maps, with `__qualname__`; those inside lists stay nodes.
Value plain(const Value& value) {
  auto* node = value.get_if<ConfigDict>();
  if (!node) return value;
  Value proxy = with_proxies(value);
  if (!proxy.is<ConfigDict>() && !proxy.is<Dict>()) return proxy;
  if (node->is_const()) return value;
  Dict out;
  for (auto& [k, v] : node->items()) out.set(k, plain(v));
  return out;
}

// Objects list their fields in the order of their type, as the reference does.
Dict in_order_of_type(const Dict& object) {
  auto* type = type_of_object(qualname_of(object));
  if (!type) return object;
  Dict out;
  auto take = [&](const Value& key) {
    if (auto* value = object.find(key)) out.set(key, *value);
  };
  take(konfig::kQualname);
  for (auto& field : type->fields) take(field.name);
  for (auto& [k, v] : object) out.set(k, v);
  return out;
}

class Merger {
 public:
  Merger(const Value& left, const Value& right, const MergeOptions& options)
      : options_(options), classes_("(" + class_name(left) + " / " + class_name(right) + ")") {}

  Value run(const Value& left, const Value& right, const std::string& path) {
    auto *a = left.get_if<Dict>(), *b = right.get_if<Dict>();
    if (a && b && (qualname_of(*a) == qualname_of(*b) || jobs(*a, *b))) return maps(*a, *b, path);
    if (options_.right_wins) return right;
    const bool same_type = class_name(left) == class_name(right);
    if (same_type && left == right) return left;
    fail(left, right, path, same_type);
  }

 private:
  static bool jobs(const Dict& a, const Dict& b) {
    return is_job_params(qualname_of(a)) && is_job_params(qualname_of(b));
  }

  Value maps(const Dict& a, const Dict& b, const std::string& path) {
    const bool to_job = jobs(a, b);
    const Dict left = to_job ? job_fields(a) : a, right = to_job ? job_fields(b) : b;
    Dict out;
    for (auto& [k, v] : left) out.set(k, v);
    for (auto& [k, v] : right) {
      if (k == Value(konfig::kQualname)) continue;
      const std::string step = k.is<std::string>() ? k.as<std::string>() : k.repr();
      auto* there = out.find(k);
      out.set(k, there ? run(*there, v, path.empty() ? step : path + "." + step) : v);
    }
    return in_order_of_type(out);
  }

  [[noreturn]] void fail(const Value& left, const Value& right, const std::string& path,
                         bool same_type) const {
    auto name = [&](const FlagOf& flag) {
      return flag ? flag(path) : classes_ + (path.empty() ? "" : "." + path);
    };
    auto shown = [](const Value& v) { return konfig::shorten(params_repr(v), 60); };
    std::string text = name(options_.left) + " is " + shown(left) + ", but ";
    text += options_.right ? name(options_.right) + " is " : "it is also ";
    text += shown(right);
    text += same_type ? ": conflicting values" : ": values of different types";
    if (options_.left && options_.right) text += "; " + options_.advice;
    throw Error(same_type ? ErrorKind::value : ErrorKind::type, text);
  }

  const MergeOptions& options_;
  std::string classes_;
};

}  // namespace

bool is_job_params(std::string_view qualname) {
  if (qualname == kJob || qualname == "kauldron.kxm:JobParams" ||
      qualname == "kauldron.kxm:Experiment") {
    return true;
  }
  auto* type = type_of_object(std::string(qualname));
  return type && type->find("target") && type->find("requirements") && type->find("args");
}

Dict job_fields(const Dict& params) {
  auto& type = konfig::type_of<Job>();
  Dict out{{konfig::kQualname, kJob}};
  for (auto& field : type.fields) {
    if (auto* value = params.find(field.name)) out.set(field.name, *value);
  }
  return out;
}

Dict given_params(const ConfigDict& node) {
  Dict out;
  for (auto& [k, v] : node.items()) {
    Value value = plain(v);
    if (auto* dict = value.get_if<Dict>(); dict && k == Value("requirements") && dict->size()) {
      // A plain map will do: requirements={"cpu": 4}.
      Dict named{{konfig::kQualname, "xmanager.xm:JobRequirements"}};
      for (auto& [name, amount] : *dict) named.set(name, amount);
      value = named;
    }
    if (k == Value("args") || k == Value("env_vars")) value = with_proxies(value);
    if (k == Value(konfig::kQualname) || !is_start(value)) out.set(k, value);
  }
  return out;
}

Value merge(const Value& left, const Value& right, const MergeOptions& options) {
  return Merger(left, right, options).run(left, right, "");
}

Dict replace_params(const Dict& object,
                    const std::vector<std::pair<std::string, std::optional<Value>>>& changes) {
  const std::string name = qualname_of(object);
  auto* type = type_of_object(name);
  Dict out;
  auto changed = [&](const Value& key) {
    return std::find_if(changes.begin(), changes.end(),
                        [&](auto& change) { return Value(change.first) == key; });
  };
  for (auto& [k, v] : object) {
    auto it = changed(k);
    if (it == changes.end()) out.set(k, v);
  }
  for (auto& [key, value] : changes) {
    if (type && !type->find(key)) {
      std::vector<std::string> names;
      for (auto& field : type->fields) names.emplace_back(field.name);
      throw Error(ErrorKind::type, class_name(object) + " has no field '" + key + "'" +
                                       konfig::did_you_mean(key, names));
    }
    if (value) out.set(key, *value);
  }
  return in_order_of_type(out);
}

std::string params_repr(const Value& value) {
  auto* dict = value.get_if<Dict>();
  if (!dict) return konfig::to_text(value);
  const std::string name = qualname_of(*dict);
  std::vector<std::string> parts;
  for (auto& [k, v] : *dict) {
    if (k == Value(konfig::kQualname)) continue;
    parts.push_back(name.empty() ? k.repr() + ": " + params_repr(v)
                                 : k.as<std::string>() + "=" + params_repr(v));
  }
  const std::string open = name.empty() ? "{" : class_name(value) + "(";
  const std::string close = name.empty() ? "}" : ")";
  std::string line = open + base::join(parts, ", ") + close;
  constexpr std::size_t kWidth = 80;
  if (line.size() <= kWidth && line.find('\n') == line.npos) return line;
  std::string out = open;
  for (auto& part : parts) {
    std::string indented;
    for (char c : part) indented += c == '\n' ? std::string("\n    ") : std::string(1, c);
    out += "\n    " + indented + ",";
  }
  return out + "\n" + close;
}

const Value* find_path(const Dict& params, std::string_view path) {
  if (auto* value = params.find(path)) return value;
  for (auto dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
    auto* child = params.find(path.substr(0, dot));
    if (auto* dict = child ? child->get_if<Dict>() : nullptr) {
      return find_path(*dict, path.substr(dot + 1));
    }
  }
  return nullptr;
}

}  // namespace kxm
