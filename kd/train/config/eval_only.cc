// Evaluation of a finished run: what a config takes from the run's folder.
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "kd/data/pipelines/pipelines_tf.h"
#include "kd/train/eval_only.h"
#include "konfig/json.h"
#include "konfig/konfig.h"
#include "konfig/register.h"
#include "konfig/suggest.h"
#include "kontext/get.h"
#include "kontext/tree_konfig.h"
#include "kxm/find_run.h"

namespace kd::train {

namespace {

namespace fs = std::filesystem;
using data::tf::ArraySpec;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

constexpr const char* kEvalOnly = "kauldron.kd:train.Trainer.eval_only";

// A run, as the reference's functions name it.
struct OfRun {
  Value xid = {};  // the folder of a run, or the number of an experiment
  int wid = 1;     // which of its units; in a folder of several runs: the subfolder
};
struct PartOfRun {
  Value xid = {};         // the folder of a run, or the number of an experiment
  int wid = 1;            // which of its units; in a folder of several runs: the subfolder
  std::string path = "";  // what of its config: "model"
};

// Of what was launched; none for a folder.
std::optional<std::string> launched_folder(const std::string& name, int wid) {
  auto address = kxm::parse_address(name);
  if (!address || fs::exists(name)) return {};
  if (!address->wid) address->wid = wid;
  try {
    return kxm::find_run(*address);
  } catch (const Error& e) {
    throw Error(e.kind(), "xid", e.message());
  }
}

std::string folder_of(const Value& xid, int wid) {
  const std::string name = xid.is<std::int64_t>()  ? xid.repr()
                           : xid.is<std::string>() ? xid.as<std::string>()
                                                   : "";
  if (name.empty()) {
    const std::string found = xid.is_none() ? "nothing" : xid.repr();
    throw Error(ErrorKind::value, "xid",
                "expected the folder of a run or the number of an experiment, got " + found +
                    "; set --cfg.aux.xid=runs/my_run, or --cfg.aux.xid=17, where the config refers "
                    "to it; a config in JSON does not, there set this field");
  }
  const fs::path folder = launched_folder(name, wid).value_or(name);
  const fs::path one_of_several = folder / std::to_string(wid);
  if (!fs::exists(folder / "config.json") && fs::exists(one_of_several / "config.json")) {
    return one_of_several.string();
  }
  return folder.string();
}

Value parsed(const fs::path& file) {
  const auto text = base::try_read_file(file);
  if (!text) {
    throw Error(ErrorKind::value, "xid",
                file.string() + " cannot be read: is it the folder of a run?");
  }
  return konfig::parse_json(*text);
}

std::string workdir_from_xid(const OfRun& run) { return folder_of(run.xid, run.wid); }

// {"a": {"b": array}} becomes "a.b".
void add_specs(Map<ArraySpec>& out, const std::string& name, const Value& value) {
  const Dict& node = value.as<Dict>();
  if (auto* shape = node.find("shape")) {
    ArraySpec spec;
    for (const Value& n : shape->as<Dict>().at("0").as<List>()) {
      spec.shape.push_back(n.is_none() ? std::nullopt : std::optional(n.as<std::int64_t>()));
    }
    konfig::load(konfig::type_of<DType>(), &spec.dtype, node.at("dtype"));
    out[name] = spec;
    return;
  }
  for (const Value& item : node.at("0").as<List>()) {
    const List& pair = item.as<List>();
    const std::string& key = pair[0].as<std::string>();
    add_specs(out, name.empty() ? key : name + "." + key, pair[1]);
  }
}

Map<ArraySpec> get_element_spec(const OfRun& run) {
  const fs::path file = fs::path(folder_of(run.xid, run.wid)) / "element_spec.json";
  Map<ArraySpec> out;
  add_specs(out, "", parsed(file));
  return out;
}

fs::path config_of(const Value& xid, int wid) {
  return fs::path(folder_of(xid, wid)) / "config.json";
}

ConfigDict get_cfg(const OfRun& run) {
  return ConfigDict(parsed(config_of(run.xid, run.wid)).as<Dict>());
}

Value part_of(const Value& xid, int wid, const std::string& path) {
  const fs::path file = config_of(xid, wid);
  const ConfigDict cfg(parsed(file).as<Dict>());
  try {
    return konfig::resolve(kontext::get_by_path<Value>(cfg, path));
  } catch (const Error& e) {
    throw e.with("\n(" + path + " of " + file.string() + ")");
  }
}
Value get_resolved(const PartOfRun& part) { return part_of(part.xid, part.wid, part.path); }
Value get_model_from_xid(const OfRun& run) { return part_of(run.xid, run.wid, "model"); }

}  // namespace

ConfigDict eval_only(const Config<Trainer>& cfg, const std::string& run) {
  ConfigDict out = konfig::call(kEvalOnly);
  const ConfigDict given = konfig::lower(cfg), untouched = konfig::lower(Config<Trainer>());
  const auto guard = out.ignore_type();
  for (auto& key : given.keys()) {
    const std::string name = key.as<std::string>();
    const bool is_default = untouched.contains(name) && untouched.get(name) == given.get(name);
    if (name != konfig::kQualname && !is_default) out.set(name, given.get(name));
  }
  if (!run.empty()) out["aux"]["xid"] = run;
  return out;
}

}  // namespace kd::train

KONFIG_FUNCTION("kauldron.kd:ckpts.workdir_from_xid", kd::train::workdir_from_xid);
KONFIG_FUNCTION("kauldron.kd:from_xid.get_workdir", kd::train::workdir_from_xid);
KONFIG_FUNCTION("kauldron.kd:from_xid.get_cfg", kd::train::get_cfg);
KONFIG_FUNCTION("kauldron.kd:from_xid.get_element_spec", kd::train::get_element_spec);
KONFIG_FUNCTION("kauldron.kd:from_xid.get_resolved", kd::train::get_resolved);
KONFIG_FUNCTION("kauldron.kd:contrib.nn.get_model_from_xid", kd::train::get_model_from_xid);
