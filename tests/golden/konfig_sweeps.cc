// The sweeps of the reference's example configs. Their files are not kept here: what they yield is
// computed by functions of our own, which the loader evaluates as it does those of any config.py.
#include "tests/golden/konfig_sweeps.h"

#include <algorithm>
#include <map>

#include "flags/config_flag.h"
#include "konfig/json.h"
#include "loader/loader.h"
#include "tests/golden/compare.h"
#include "tests/golden/konfig_codec.h"

namespace golden {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

const std::map<std::string, std::string> kFunctions = {{"configargs_demo.py", R"(
NAMES = ('imagenet2012', 'coco', 'cifar100')
def sweep_main():
  for lr in (1e-4, 1e-5):
    for n in (1, 2, 3):
      yield {'optimizer.learning_rate': lr, '__args__.dataset_names': NAMES[:n],
             '__args__.dataset_weights': (1.0,) * n}
)"},
                                                       {"tiny_vit_advanced.py", R"(
def sweep_lr():
  return [{'schedules.learning_rate.peak_value': lr} for lr in (1e-3, 1e-2)]
def sweep_seed():
  yield from ({'seed': seed} for seed in (1, 42, 1337))
)"},
                                                       {"tiny_vit_imagenet.py", R"(
def sweep():
  import itertools
  for seed, lr in itertools.product(range(2), [0.001, 0.01]):
    yield {'schedules.learning_rate.peak_value': lr, 'seed': seed}
)"},
                                                       {"vit_b_i1k.py", R"(
def sweep():
  for seed in range(3):
    yield {'seed': seed}
)"}};

// Functions that yield these items.
std::string functions_of(const Dict& sweeps) {
  std::string text =
      "import json\n"
      "from kauldron import konfig\n"
      "def value(x):\n"
      "  if not isinstance(x, dict): return x\n"
      "  return tuple(x['$tuple']) if '$tuple' in x else konfig.ConfigDict(x)\n";
  for (auto& [name, items] : sweeps) {
    text += "def " + name.as<std::string>() + "():\n  for item in json.loads(" +
            Value(show(items)).repr() + "):\n    yield {k: value(v) for k, v in item.items()}\n";
  }
  return text;
}

// A config.py with the sweeps of an example, or, where it is not known here, with the items.
std::string config_file(const std::string& example, const std::string& json, const Dict& sweeps) {
  auto known = kFunctions.find(example);
  return "import json\nfrom kauldron import konfig\n"
         "def get_config():\n  return konfig.ConfigDict(json.loads(" +
         Value(json).repr() + "))\n" +
         (known == kFunctions.end() ? functions_of(sweeps) : known->second);
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

}  // namespace

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

void expect_sweeps(Problems& problems, const Dict& args, const Dict& outputs, Sources& sources) {
  const Value* wanted = outputs.find("sweeps");
  if (!wanted) return;
  const std::string& json = outputs.at("json").as<std::string>();
  const std::string file = sources.write(
      "sweeps.py", config_file(args.at("file").as<std::string>(), json, wanted->as<Dict>()));
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

}  // namespace golden
