// Runs the programs of the golden cases.
#include "tests/golden/konfig_program.h"

#include <functional>
#include <map>
#include <optional>

#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/reference.h"
#include "konfig/registry.h"
#include "konfig/resolve.h"
#include "tests/golden/compare.h"
#include "tests/golden/konfig_codec.h"
#include "tests/golden/konfig_toys.h"

namespace golden {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Reference;
using konfig::Value;

// Defaults and aliases that a program registers end with it.
class RegistryScope {
 public:
  ~RegistryScope() {
    for (const auto& [qualname, before] : defaults_) {
      konfig::clear_default_values(qualname);
      if (before) konfig::register_default_values(*before);
    }
    for (const auto& [module, alias] : aliases_) konfig::register_alias(module, alias);
  }
  void register_defaults(const Value& node) {
    ConfigDict cfg = node.is<Dict>() ? ConfigDict(node.as<Dict>()) : node.as<ConfigDict>();
    std::string name = cfg.qualname();
    const ConfigDict* before = konfig::find_default_values(name);
    defaults_.emplace(name, before ? std::optional(*before) : std::nullopt);
    konfig::register_default_values(cfg);
  }
  void register_alias(const std::string& module, const std::string& alias) {
    std::string before = konfig::shorten_qualname(module + ":x");
    aliases_.emplace(module, before.substr(0, before.size() - 2));
    konfig::register_alias(module, alias);
  }

 private:
  std::map<std::string, std::optional<ConfigDict>> defaults_;
  std::map<std::string, std::string> aliases_;
};

ConfigDict config_of(const Value& value) {
  if (auto* dict = value.get_if<Dict>()) return ConfigDict(*dict);
  return value.as<ConfigDict>();
}

bool same(const Value& a, const Value& b) {
  if (auto* x = a.get_if<ConfigDict>()) return b.is<ConfigDict>() && x->same(b.as<ConfigDict>());
  if (auto* x = a.get_if<List>()) {
    return b.is<List>() && x->identity() == b.as<List>().identity();
  }
  if (auto* x = a.get_if<Dict>()) return b.is<Dict>() && x->begin() == b.as<Dict>().begin();
  return identical(encode(a), encode(b)) && !b.is<Dict>();
}

konfig::JsonOptions json_options(const List& step) {
  konfig::JsonOptions options;
  if (step.size() < 3) return options;
  const Dict& given = step[2].as<Dict>();
  if (auto* v = given.find("indent")) options.indent = static_cast<int>(v->as<std::int64_t>());
  if (auto* v = given.find("sort_keys")) options.sort_keys = v->as<bool>();
  if (auto* v = given.find("separators")) {
    options.item_separator = v->as<List>()[0].as<std::string>();
    options.key_separator = v->as<List>()[1].as<std::string>();
  }
  return options;
}

konfig::ResolveOptions resolve_options(const List& step) {
  konfig::ResolveOptions options;
  if (step.size() < 3) return options;
  if (auto* v = step[2].as<Dict>().find("freeze")) options.freeze = v->as<bool>();
  return options;
}

void write(const Value& container, const Value& key, const Value& value) {
  if (auto* list = container.get_if<List>()) {
    item_of(container, key);  // checks the index
    std::int64_t i = key.as<std::int64_t>();
    List handle = *list;
    handle.set(static_cast<std::size_t>(i < 0 ? i + static_cast<std::int64_t>(list->size()) : i),
               value);
    return;
  }
  if (container.is<Reference>()) {  // no such operation in C++: the compiler refuses it
    throw Error(ErrorKind::key, "a reference has no fields to set: " + key.repr());
  }
  ConfigDict cfg = container.as<ConfigDict>();
  cfg.set(key, value);
}

// A part of a resolved tree.
Value part_of(const Value& tree, const Value& path) {
  Value at = tree;
  for (const Value& key : path.as<List>()) {
    const Toy* toy = toy_of(at);
    if (!toy) {
      at = item_of(at, key);
    } else if (key.is<std::int64_t>()) {
      at = toy->args.at(static_cast<std::size_t>(key.as<std::int64_t>()));
    } else {
      for (const auto& [name, value] : toy->kwargs) {
        if (name == key.as<std::string>()) {
          at = value;
          break;
        }
      }
    }
  }
  return at;
}

bool same_object(const Value& a, const Value& b) {
  if (a.is<konfig::Object>() && b.is<konfig::Object>()) return a == b;
  return same(a, b);
}

class Program {
 public:
  // One step; the encoded output, None for steps that only change things.
  Value run(const List& s) {
    const std::string& op = s[0].as<std::string>();
    auto it = table().find(op);
    if (it == table().end()) throw UnknownNotation("step " + op);
    return it->second(*this, s);
  }

 private:
  using Step = std::function<Value(Program&, const List&)>;

  ConfigDict config(const Value& path) const { return env_.walk(path).as<ConfigDict>(); }
  ConfigDict variable(const Value& name) const {
    return env_[name.as<std::string>()].as<ConfigDict>();
  }
  Value let(const Value& name, Value value) {
    env_.set(name.as<std::string>(), std::move(value));
    return {};
  }
  static const Value& last(const Value& path) {
    const List& parts = path.as<List>();
    return parts[parts.size() - 1];
  }

  Value make(const List& s) {
    Value value = env_.decode(s[2]);
    auto* json = s[2].get_if<Dict>();
    bool alias = json && (json->find("$var") || json->find("$node"));
    ConfigDict cfg = config_of(value);
    return let(s[1], alias ? cfg.shallow_copy() : cfg);
  }
  Value update(const List& s) {
    ConfigDict cfg = config(s[1]);
    Value other = env_.decode(s[2]);
    if (auto* dict = other.get_if<Dict>()) {
      cfg.update(*dict);
    } else {
      cfg.update(other.as<ConfigDict>());
    }
    return {};
  }
  Value merge(const List& s) {
    ConfigDict cfg = variable(s[2]);
    Value other = env_.decode(s[3]);
    if (other.is<ConfigDict>()) return let(s[1], cfg | other.as<ConfigDict>());
    ConfigDict out = cfg.copy();
    out.update(other.as<Dict>());
    return let(s[1], out);
  }
  Value equal(const List& s) {
    Value a = env_.decode(s[1]), b = env_.decode(s[2]);
    if (a.is<Reference>() || b.is<Reference>()) return truth(binary(konfig::Op::eq, a, b));
    return a == b;
  }
  Value iterate(const List& s) {
    Value value = env_.decode(s[1]);
    if (value.is<Reference>()) {  // no such operation in C++: the compiler refuses it
      throw Error(ErrorKind::type, "a reference cannot be iterated over");
    }
    if (auto* cfg = value.get_if<ConfigDict>()) return encode(List(cfg->keys()));
    return encode(value);
  }
  Value with_ignore_type(const List& s) {
    auto scope = config(s[1]).ignore_type();
    write(env_.walk(s[2], 1), last(s[2]), env_.decode(s[3]));
    return {};
  }
  Value aliases(const List& s) {
    for (const auto& [module, alias] : s[1].as<Dict>()) {
      scope_.register_alias(module.as<std::string>(), alias.as<std::string>());
    }
    return {};
  }
  Value keys(const List& s) {
    List out;
    for (const Value& key : config(s[1]).keys()) out.push_back(encode(key));
    return out;
  }

  static const std::map<std::string, Step>& table() {
    using P = Program&;
    using L = const List&;
    static const std::map<std::string, Step> steps = {
        {"new", [](P p, L s) { return p.make(s); }},
        {"let", [](P p, L s) { return p.let(s[1], p.env_.decode(s[2])); }},
        {"set",
         [](P p, L s) {
           Value target = p.env_.walk(s[1], 1);
           Value key = p.env_.decode(last(s[1]));
           write(target, key, p.env_.decode(s[2]));
           return Value();
         }},
        {"setattr",
         [](P p, L s) {
           Value target = p.env_.walk(s[1], 1);
           write(target, last(s[1]), p.env_.decode(s[2]));
           return Value();
         }},
        {"del",
         [](P p, L s) {
           ConfigDict cfg = p.env_.walk(s[1], 1).as<ConfigDict>();
           cfg.erase(p.env_.decode(last(s[1])));
           return Value();
         }},
        {"update", [](P p, L s) { return p.update(s); }},
        {"append",
         [](P p, L s) {
           List list = p.env_.walk(s[1]).as<List>();
           list.push_back(p.env_.decode(s[2]));
           return Value();
         }},
        {"lock", [](P p, L s) { return p.config(s[1]).lock(), Value(); }},
        {"unlock", [](P p, L s) { return p.config(s[1]).unlock(), Value(); }},
        {"ignore_type", [](P p, L s) { return p.with_ignore_type(s); }},
        {"deepcopy", [](P p, L s) { return p.let(s[1], p.variable(s[2]).copy()); }},
        {"copy", [](P p, L s) { return p.let(s[1], p.variable(s[2]).shallow_copy()); }},
        {"ref_copy", [](P p, L s) { return p.let(s[1], konfig::ref_copy(p.config(s[2]))); }},
        {"merge", [](P p, L s) { return p.merge(s); }},
        {"resolve_refs",
         [](P p, L s) { return p.let(s[1], p.variable(s[2]).without_references()); }},
        {"load_json",
         [](P p, L s) { return p.let(s[1], konfig::config_from_json(s[2].as<std::string>())); }},
        {"reload",
         [](P p, L s) {
           return p.let(s[1], konfig::config_from_json(konfig::to_json(p.variable(s[2]))));
         }},
        {"register_defaults",
         [](P p, L s) { return p.scope_.register_defaults(p.env_.decode(s[1])), Value(); }},
        {"register_aliases", [](P p, L s) { return p.aliases(s); }},
        {"get", [](P p, L s) { return encode(p.env_.walk(s[1])); }},
        {"getattr", [](P p, L s) { return encode(item_of(p.env_.walk(s[1]), s[2])); }},
        {"get_default", [](P p, L s) { return encode(p.config(s[1]).get(s[2], s[3])); }},
        {"value", [](P p, L s) { return encode(p.env_.decode(s[1])); }},
        {"bool", [](P p, L s) { return Value(truth(p.env_.decode(s[1]))); }},
        {"iter", [](P p, L s) { return p.iterate(s); }},
        {"json", [](P p, L s) { return Value(to_json(p.config(s[1]), json_options(s))); }},
        {"repr", [](P p, L s) { return Value(konfig::repr(p.env_.walk(s[1]))); }},
        {"ref_repr", [](P p, L s) { return Value(p.env_.decode(s[1]).as<Reference>().repr()); }},
        {"to_dict", [](P p, L s) { return encode(p.config(s[1]).to_dict()); }},
        {"keys", [](P p, L s) { return p.keys(s); }},
        {"len", [](P p, L s) { return Value(p.config(s[1]).size()); }},
        {"in", [](P p, L s) { return Value(p.config(s[1]).contains(s[2])); }},
        {"eq", [](P p, L s) { return p.equal(s); }},
        {"same", [](P p, L s) { return Value(same(p.env_.walk(s[1]), p.env_.walk(s[2]))); }},
        {"resolve",
         [](P p, L s) { return encode(resolve(p.env_.decode(s[1]), resolve_options(s))); }},
        {"resolve_same",
         [](P p, L s) {
           Value tree = konfig::resolve(p.variable(s[1]));
           return Value(same_object(part_of(tree, s[2]), part_of(tree, s[3])));
         }},
        {"type", [](P p, L s) { return Value(p.env_.walk(s[1]).type_name()); }},
        {"export", [](P p, L s) { return Value(to_json(konfig::export_(p.env_.decode(s[1])))); }},
    };
    return steps;
  }

  Env env_;
  RegistryScope scope_;
};

// "" when the step gives what is expected, else what is wrong; `shown` is our output.
std::string check(Program& program, const List& step, const Value& expected, std::string& shown) {
  auto* dict = expected.get_if<Dict>();
  bool error = dict && dict->find("error") && dict->find("message");
  bool not_run = dict && dict->find("not_run");
  try {
    Value ours = program.run(step);
    shown = show(ours);
    if (error || not_run || !identical(ours, expected)) return "differs";
    return "";
  } catch (const Error& e) {
    shown = "error of kind " + std::string(to_string(e.kind())) + ": " + e.what();
    return error ? error_mismatch(*dict, e) : "an error";
  } catch (const NotRun& e) {
    shown = "not run";
    return not_run ? "" : "variable was not set";
  }
}

}  // namespace

std::vector<std::string> run_program(const std::string& name, const Dict& args, const Dict& outputs,
                                     Differences& differences) {
  std::vector<std::string> problems;
  Program program;
  const List& steps = args.at("steps").as<List>();
  const List& expected = outputs.at("steps").as<List>();
  bool rest = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const List& step = steps[i].as<List>();
    std::string shown;
    std::string problem = check(program, step, expected[i], shown);
    if (problem.empty() || rest) continue;
    Occasion occasion = {name, args.at("topic").as<std::string>(), step[0].as<std::string>(),
                         show(steps[i]), show(expected[i])};
    if (auto* difference = differences.excuse(occasion, shown)) {
      rest = difference->rest;
      continue;
    }
    problems.push_back(occasion.topic + ", step " + std::to_string(i) + " " + occasion.input +
                       ": " + problem + "\n    expected " + occasion.expected + "\n    got      " +
                       shown);
  }
  return problems;
}

}  // namespace golden
