#include "tests/golden/kxm_launch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/replace_all.h"
#include "flags/config_flag.h"
#include "konfig/json.h"
#include "konfig/scalar_text.h"
#include "konfig/suggest.h"
#include "kxm/arg_json.h"
#include "kxm/experiments.h"
#include "kxm/kxm.h"
#include "tests/golden/kxm_codec.h"
#include "tests/golden/walk.h"

namespace golden {
namespace {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Value;

Value sorted(const Value& value) {
  std::vector<Dict::Pair> pairs(value.as<Dict>().begin(), value.as<Dict>().end());
  std::sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) {
    return a.first.template as<std::string>() < b.first.template as<std::string>();
  });
  Dict out;
  for (auto& [k, v] : pairs) out.set(k, v);
  return out;
}

List workdir(const Value& dir) { return {"Workdir", dir}; }

// What the reference records beside the plan: folders that were asked for, and TensorBoard.
Dict with_artifacts(const kxm::Plan& plan, const ConfigDict& xp) {
  Dict all = kxm::plan_dict(plan);
  const Dict& from = all.at("experiment").as<Dict>();
  List artifacts, units;
  bool used = false;
  for (auto& u : from.at("units").as<List>()) {
    const Dict& unit = u.as<Dict>();
    const bool has_dir = !unit.at("dir").is_none();
    used |= has_dir;
    if (has_dir) artifacts.push_back(workdir(from.at("dir")));
    List own;
    if (has_dir) own.push_back(workdir(unit.at("dir")));
    Dict jobs;
    for (auto& [name, j] : unit.at("jobs").as<Dict>()) {
      const Dict& job = j.as<Dict>();
      const Value given = all.at("jobs").as<Dict>().at(name).as<Dict>().at("name");
      jobs.set(name, Dict{{"argv", job.at("argv")},
                          {"env", sorted(job.at("env"))},
                          {"name", given.is_none() ? Value("") : given}});
    }
    units.push_back(Dict{{"id", unit.at("id")},
                         {"identity", unit.at("identity")},
                         {"ui_args", encode_kxm(unit.at("ui_args"))},
                         {"artifacts", own},
                         {"jobs", jobs}});
  }
  if (plan.tensorboard) {
    if (!used) artifacts.push_back(workdir(plan.dir));
    const Value args = encode_kxm(xp.get("args").as<ConfigDict>().to_dict());
    for (auto* name : {"borg", "corp"}) {
      const std::string kind = std::string("tensorboard_") + name;
      if (xp.get("add_" + kind, false) == Value(true)) {
        artifacts.push_back(List{kind, plan.dir, args});
      }
    }
  }
  Dict jobs;
  for (auto& [name, job] : all.at("jobs").as<Dict>()) jobs.set(name, encode_kxm(job));
  return {{"jobs", jobs},
          {"experiment", Dict{{"title", from.at("title")},
                              {"tags", from.at("tags")},
                              {"notes", from.at("notes")},
                              {"attached_texts", from.at("attached_texts")},
                              {"artifacts", artifacts},
                              {"units", units}}}};
}

kxm::PlanContext context_of(const ConfigDict& xp) {
  kxm::PlanContext context{.xid = 42, .author = "alice"};
  context.dialect = kxm::Dialect::xmanager;
  context.try_overrides = false;  // the cases sweep paths that their configs do not have
  context.kept_path = [](const kxm::KeptFile& file) { return "/package/" + file.name; };
  if (const Value xid = xp.get("xid", konfig::None()); xid.is<std::int64_t>()) {
    context.xid = static_cast<int>(xid.as<std::int64_t>());
    context.existing_units = 3;
    context.existing_title = "existing title";
  }
  return context;
}

// The sweep of the reference's example, whose file is not ours to copy.
constexpr const char* kSweep = R"(
def sweep():
  for seed in [0, 1]:
    for value in [1e-3, 1e-2]:
      yield {"schedules.learning_rate.peak_value": value, "seed": seed}
)";

}  // namespace

Launches::Launches() : before_(fs::current_path().string()) {
  fs::current_path(folder_.path());
  write_examples();
}
Launches::~Launches() { fs::current_path(before_); }

void Launches::write_files(const Dict& files) const {
  for (auto& [name, text] : files) {
    std::ofstream(folder_ / name.as<std::string>()) << text.as<std::string>();
  }
}

// Kauldron's examples as the konfig cases have them: a file that gives the same config.
void Launches::write_examples() const {
  fs::create_directories(folder_ / "examples");
  for (const Value& value : cases_of(load_document("konfig"))) {
    const Dict& c = value.as<Dict>();
    if (c.at("group") != Value("example")) continue;
    const auto& file = c.at("args").as<Dict>().at("file").as<std::string>();
    if (file.find('/') != file.npos) continue;
    std::ofstream out(folder_ / ("examples/" + file));
    out << "import json\nfrom kauldron import konfig\ndef get_config():\n"
        << "  return konfig.ConfigDict(json.loads("
        << konfig::repr_text(c.at("outputs").as<Dict>().at("json").as<std::string>()) << "))\n";
    if (file == "tiny_vit_imagenet.py") out << kSweep;
  }
}

Dict Launches::cleaned(const Dict& plan) const {
  std::string text = konfig::to_json(plan);
  const std::string folder = fs::canonical(folder_.path()).string();
  for (auto& path : {folder, folder_.path().string()}) {
    text = base::replace_all(text, path + "/examples", "EXAMPLES");
    text = base::replace_all(text, path, "DIR");
  }
  return konfig::parse_json(text).as<Dict>();
}

Dict Launches::launch(const Dict& args) const {
  const ConfigDict xp = decode_node(args.at("experiment"));
  return cleaned(with_artifacts(kxm::make_plan(xp, context_of(xp)), xp));
}

Dict Launches::launch_from_flags(const Dict& args) const {
  std::vector<std::string> argv;
  for (auto& word : args.at("argv").as<List>()) argv.push_back(word.as<std::string>());
  auto xp_flag = flags::take_config_flag(argv, "xp", "xp_base.py");
  auto cfg_flag = flags::take_config_flag(argv, "cfg");
  const ConfigDict xp = kxm::load_experiment(xp_flag, argv);
  auto context = context_of(xp);
  kxm::LoadedConfig config;
  if (!cfg_flag.source.empty()) {
    config = kxm::load_config(cfg_flag, argv);
    context.config = &config;
  }
  return cleaned(with_artifacts(kxm::make_plan(xp, context), xp));
}

Dict Launches::sweep(const std::string& api, const Dict& args) const {
  kxm::LoadedConfig config;
  const Value* module = args.find("module");
  if (module && !module->is_none()) config.from.source = module->as<std::string>();
  if (api == "available sweep names") {
    List names;
    for (auto& [name, items] : config.sweeps()) names.push_back(name);
    return {{"names", names}};
  }
  if (api.starts_with("decode")) {
    Dict out;
    for (auto& [k, v] : args.at("job_kwargs").as<Dict>()) {
      out.set(k.as<std::string>().substr(4), kxm::arg_from_text(v.as<std::string>()));
    }
    return {{"decoded", out}};
  }
  kxm::SweepContext context{.sweep = true, .config = nullptr, .kauldron_jobs = true};
  if (!config.from.source.empty()) context.config = &config;
  std::vector<kxm::SweepItem> items;
  std::vector<std::string> tags;
  Dict out;
  auto read = [&](const auto& sweep) {
    items = kxm::SweepInfo::points_of(sweep, context);
    tags = kxm::SweepInfo::tags_of(sweep, context);
  };
  if (args.find("sweep")) {
    context.sweep = decode_kxm(args.at("sweep"));
    api == "kxm.KauldronSweep" ? read(kxm::KauldronSweep()) : read(kxm::SweepFromCfg());
    List names;
    for (auto& tag : tags) names.push_back(tag.substr(std::string("🧹").size()));
    out.set("names", names);
  } else if (api == "kxm.NoSweep") {
    read(kxm::NoSweep());
  } else {
    read(kxm::SimpleSweep{decode_kxm(args.at("items"))});
  }
  List tag_list, item_list;
  for (auto& tag : tags) tag_list.push_back(tag);
  for (auto& item : items) {
    item_list.push_back(
        Dict{{"job_kwargs", encode_kxm(item.job_kwargs)}, {"ui_kwargs", encode_kxm(item.shown())}});
  }
  const bool length_first = !args.find("sweep");
  if (length_first) out.set("length", items.size());
  out.set("tags", tag_list);
  out.set("length", items.size());
  out.set("items", item_list);
  return out;
}

}  // namespace golden
