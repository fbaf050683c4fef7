// The example configs of the reference. What they resolve to is compared type by type and field by
// field, the items of their sweeps value by value.
#include "tests/golden/konfig_examples.h"

#include <algorithm>
#include <regex>

#include "flags/config_flag.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/resolve.h"
#include "konfig/to_value.h"
#include "konfig/type.h"
#include "konfig/type_registry.h"
#include "konfig/yaml.h"
#include "loader/loader.h"
#include "tests/golden/compare.h"
#include "tests/golden/konfig_codec.h"

namespace golden {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

std::string difference_text(const std::string& what, const std::string& expected,
                            const std::string& got) {
  std::size_t at = 0;
  while (at < expected.size() && at < got.size() && expected[at] == got[at]) ++at;
  std::size_t from = at < 60 ? 0 : at - 60;
  return what + " differs at " + std::to_string(at) + "\n    expected ..." +
         expected.substr(from, 160) + "\n    got      ..." + got.substr(from, 160);
}

// Tuples come back from JSON as lists: there a parenthesis may be a bracket.
bool same_print(const std::string& expected, const std::string& got) {
  if (expected.size() != got.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    bool bracket = (expected[i] == '(' && got[i] == '[') || (expected[i] == ')' && got[i] == ']');
    if (expected[i] != got[i] && !bracket) return false;
  }
  return true;
}

std::string without_ids(const std::string& json) {
  static const std::regex id(R"re((, )?"__id__": \d+)re");
  return std::regex_replace(json, id, "");
}

void expect_printed(Problems& problems, const Dict& args, const Dict& outputs) {
  std::string file = args.at("file").as<std::string>() + ": ";
  const std::string& json = outputs.at("json").as<std::string>();
  ConfigDict cfg = konfig::config_from_json(json);
  std::string again = konfig::to_json(cfg);
  bool exact = outputs.at("json_of_reload_equal").as<bool>();
  if (exact ? again != json : without_ids(again) != without_ids(json)) {
    problems.push_back(difference_text(file + "JSON of the reloaded config", json, again));
  }
  if (konfig::to_json(konfig::config_from_json(again)) != again) {
    problems.push_back(file + "JSON changes on the second reload");
  }
  const std::string& print = outputs.at("repr").as<std::string>();
  if (!same_print(print, konfig::repr(cfg))) {
    problems.push_back(difference_text(file + "printing", print, konfig::repr(cfg)));
  }
  std::string from_yaml = konfig::to_json(konfig::config_from_yaml(konfig::to_yaml(cfg)));
  if (from_yaml != again) {
    problems.push_back(difference_text(file + "JSON after YAML", again, from_yaml));
  }
}

// ---- Sweeps.

// "train_ds.transforms" of a config.
Value part_of(const ConfigDict& cfg, const std::string& path) {
  Value at = cfg;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('.', from), path.size());
    at = at.as<ConfigDict>()[path.substr(from, to - from)].get();
    from = to + 1;
  }
  return at;
}

// The sweeps as a config.py yields them.
std::string python_sweeps(const std::string& json, const Dict& sweeps) {
  auto literal = [](const Value& value) { return "json.loads(" + Value(show(value)).repr() + ")"; };
  std::string text =
      "import json\n"
      "from kauldron import konfig\n"
      "def value(x):\n"
      "  if not isinstance(x, dict): return x\n"
      "  return tuple(x['$tuple']) if '$tuple' in x else konfig.ConfigDict(x)\n"
      "def get_config():\n  return konfig.ConfigDict(json.loads(" +
      Value(json).repr() + "))\n";
  for (auto& [name, items] : sweeps) {
    text += "def " + name.as<std::string>() + "():\n  for item in " + literal(items) +
            ":\n    yield {k: value(v) for k, v in item.items()}\n";
  }
  return text;
}

Value shown_item(const Dict& item) {
  Dict out;
  for (auto& [path, value] : item) {
    auto* cfg = value.get_if<ConfigDict>();
    out.set(path, cfg ? konfig::parse_json(konfig::to_json(*cfg)) : encode(value));
  }
  return out;
}

// The value of one path of an item, as --cfg.PATH=VALUE sets it.
void expect_applied(Problems& problems, const std::string& json, const std::string& path,
                    const Value& value) {
  auto* tagged = value.get_if<Dict>();
  const Value* tuple = tagged ? tagged->find("$tuple") : nullptr;
  ConfigDict cfg = konfig::config_from_json(json);
  std::vector<std::string> rest = {"--cfg." + path + "=" + show(tuple ? *tuple : value)};
  auto flag = flags::take_config_flag(rest, "cfg", "config.py");
  flags::apply_overrides(cfg, flag, rest);
  const Value found = part_of(cfg, path);
  if (tagged || found == value) return;
  problems.push_back(path + " is " + show(encode(found)) + ", expected " + show(value));
}

void expect_sweeps(Problems& problems, const Dict& outputs, Sources& sources) {
  const Value* wanted = outputs.find("sweeps");
  if (!wanted) return;
  const std::string& json = outputs.at("json").as<std::string>();
  const std::string file = sources.write("sweeps.py", python_sweeps(json, wanted->as<Dict>()));
  const auto sweeps = loader::load_sweeps({.source = file});
  if (sweeps.size() != wanted->as<Dict>().size()) problems.push_back("other sweeps");
  for (auto& [key, items] : wanted->as<Dict>()) {
    const std::string name = key.as<std::string>();
    List ours;
    if (auto found = sweeps.find(name); found != sweeps.end()) {
      for (const auto& item : loader::items_of(found->second)) ours.push_back(shown_item(item));
    }
    if (!identical(ours, items)) {
      problems.push_back(name + " is " + show(ours) + ", expected " + show(items));
    }
    for (const Value& item : items.as<List>()) {
      for (auto& [path, value] : item.as<Dict>()) {
        // Arguments of get_config are not places in the config.
        if (path.as<std::string>().starts_with("__args__")) continue;
        expect_applied(problems, json, path.as<std::string>(), value);
      }
    }
  }
}

// ---- Resolved parts.

// "Dense" of "flax.linen.linear:Dense": modules have private folders in the reference.
std::string last_name(const std::string& qualname) {
  return qualname.substr(qualname.find_last_of(":.") + 1);
}

class ResolvedPart {
 public:
  explicit ResolvedPart(std::vector<Mismatch>& mismatches) : mismatches_(mismatches) {}

  // `where` is the class and the field: "Dense.features".
  void compare(const std::string& where, const Value& ours, const Value& wanted) {
    if (auto* dict = wanted.get_if<Dict>()) return compare_notation(where, ours, *dict);
    if (auto* list = wanted.get_if<List>()) return compare_items(where, ours, *list);
    if (!(ours == wanted)) differ(where, "value", show(ours), show(wanted));
  }

 private:
  void differ(const std::string& where, const std::string& topic, const std::string& ours,
              const std::string& wanted) {
    mismatches_.push_back(
        {.output = where, .expected = where + ": " + wanted, .ours = ours, .topic = topic});
  }

  void compare_notation(const std::string& where, const Value& ours, const Dict& wanted) {
    if (wanted.size() == 0) return compare_entries(where, ours, wanted);
    const std::string tag = wanted.begin()->first.as<std::string>();
    const Value& content = wanted.begin()->second;
    if (tag == "$obj") return compare_object(where, ours, wanted);
    if (tag == "$frozendict") return compare_entries(where, ours, content.as<Dict>());
    if (tag == "$tuple" || tag == "$set") return compare_items(where, ours, content.as<List>());
    if (tag == "$type" || tag == "$function") return compare_name(where, ours, content);
    if (tag == "$cfg") {
      const Value shown = encode(ours);
      if (!identical(shown, Value(wanted))) differ(where, "config", show(shown), show(wanted));
      return;
    }
    if (tag.starts_with('$')) return differ(where, "notation", show(encode(ours)), show(wanted));
    compare_entries(where, ours, wanted);
  }

  void compare_object(const std::string& where, const Value& ours, const Dict& wanted) {
    const std::string name = last_name(wanted.at("$obj").as<std::string>());
    auto* object = ours.get_if<konfig::Object>();
    const Value* fields = wanted.find("fields");
    if (!object || !object->type) {
      const bool empty = ours.is_none() || (ours.is<Dict>() && ours.as<Dict>().size() == 0);
      // What such a map holds is not recorded.
      if (name == "FrozenDict" && (empty || ours.is<Dict>())) return;
      return differ(where, "type", empty ? "nothing" : show(encode(ours)), name);
    }
    const std::string own = last_name(konfig::qualname_of(*object->type));
    if (own != name) differ(where, "type", own, name);
    if (!fields) return;
    for (auto& [key, value] : fields->as<Dict>()) {
      const std::string field = key.as<std::string>();
      const konfig::Field* found = object->type->find(field);
      if (!found) {
        differ(name + "." + field, "no such field", "", show(value));
        continue;
      }
      compare(name + "." + field,
              konfig::to_value(found->type(),
                               konfig::detail::at_offset(object->ptr.get(), found->offset)),
              value);
    }
  }

  void compare_entries(const std::string& where, const Value& ours, const Dict& wanted) {
    Dict entries;
    if (auto* dict = ours.get_if<Dict>()) {
      entries = *dict;
    } else if (auto* cfg = ours.get_if<ConfigDict>()) {
      for (auto& [key, value] : cfg->items()) entries.set(key, value);
    } else {
      return differ(where, "value", show(encode(ours)), show(wanted));
    }
    if (entries.size() != wanted.size()) {
      differ(where, "value", show(encode(ours)), show(wanted));
    }
    for (auto& [key, value] : wanted) {
      const Value* found = entries.find(key);
      if (!found) {
        differ(where, "value", "no " + key.repr(), show(value));
      } else {
        compare(where, *found, value);
      }
    }
  }

  void compare_items(const std::string& where, const Value& ours, const List& wanted) {
    std::vector<Value> items;
    auto take = [&](const konfig::Sequence& sequence) {
      items.assign(sequence.begin(), sequence.end());
    };
    if (auto* list = ours.get_if<List>()) take(*list);
    if (auto* tuple = ours.get_if<konfig::Tuple>()) take(*tuple);
    if (auto* set = ours.get_if<konfig::Set>()) take(*set);
    if (items.size() != wanted.size()) {
      return differ(where, "value", show(encode(ours)), show(wanted));
    }
    for (std::size_t i = 0; i < items.size(); ++i) compare(where, items[i], wanted[i]);
  }

  // A closure of the reference has no name of its own: there only that ours has a value.
  void compare_name(const std::string& where, const Value& ours, const Value& wanted) {
    const std::string& name = wanted.as<std::string>();
    std::string own;
    if (auto* text = ours.get_if<std::string>()) own = *text;
    if (auto* symbol = ours.get_if<konfig::SymbolName>()) own = symbol->qualname;
    if (auto* object = ours.get_if<konfig::Object>(); object && object->type) {
      own = konfig::qualname_of(*object->type);
    }
    const bool closure = name.find("<locals>") != std::string::npos;
    // `zeros_init()` of Flax gives `zeros` of JAX.
    const std::string last = last_name(own), wanted_last = last_name(name);
    if (closure ? own.empty() : last != wanted_last && last != wanted_last + "_init") {
      differ(where, "name", own, name);
    }
  }

  std::vector<Mismatch>& mismatches_;
};

void expect_resolved(Problems& problems, const Dict& c, const Dict& outputs,
                     Differences& differences) {
  for (auto& [path, wanted] : outputs.at("resolved").as<Dict>()) {
    const std::string part = path.as<std::string>();
    std::vector<Mismatch> mismatches;
    try {
      const ConfigDict cfg = konfig::config_from_json(outputs.at("json").as<std::string>());
      ResolvedPart(mismatches).compare(part, konfig::resolve(part_of(cfg, part)), wanted);
    } catch (const konfig::Error& e) {
      mismatches.push_back(
          {.output = part, .expected = "it resolves", .ours = e.what(), .topic = "resolve"});
    }
    for (auto& problem : unexcused(mismatches, c, differences)) problems.push_back(problem);
  }
}

}  // namespace

Problems run_example(const Dict& c, Sources& sources, Differences& differences) {
  const Dict& args = c.at("args").as<Dict>();
  const Dict& outputs = c.at("outputs").as<Dict>();
  if (outputs.find("error")) throw Skipped("the reference could not load it");
  // What resolving gives is not recorded where the reference could not describe it.
  Problems problems = unknown_outputs(
      outputs, {"json", "repr", "json_of_reload_equal", "sweeps", "resolved", "not_described"});
  expect_printed(problems, args, outputs);
  expect_sweeps(problems, outputs, sources);
  expect_resolved(problems, c, outputs, differences);
  return problems;
}

}  // namespace golden
