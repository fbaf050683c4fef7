// The example configs of the reference. What they resolve to is compared type by type and field by
// field; konfig_sweeps.cc compares their sweeps.
#include "tests/golden/konfig_examples.h"

#include <regex>

#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/resolve.h"
#include "konfig/to_value.h"
#include "konfig/type.h"
#include "konfig/type_registry.h"
#include "konfig/yaml.h"
#include "tests/golden/compare.h"
#include "tests/golden/konfig_codec.h"
#include "tests/golden/konfig_sweeps.h"

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
  expect_sweeps(problems, args, outputs, sources);
  expect_resolved(problems, c, outputs, differences);
  return problems;
}

}  // namespace golden
