// Golden test of kxm: walks every case of $KD_GOLDEN/kxm/cases.json (by default the copy in this
// folder) and compares with the reference. A further folder of the same form needs no new code.
#include "konfig/docs.h"
#include "konfig/register.h"
#include "kxm/arg_json.h"
#include "kxm/argv.h"
#include "kxm/kxm.h"
#include "kxm/merge.h"
#include "tests/golden/compare.h"
#include "tests/golden/kxm_codec.h"
#include "tests/golden/kxm_launch.h"
#include "tests/golden/walk.h"

namespace golden {

// The class that the merge cases define.
struct A {
  konfig::Value w = 0, x = 1, y = 2;
  konfig::ConfigDict z = {};
};

// A format with fields of its own.
struct OwnFormat {
  konfig::Value xp_dirname = "{xid}", wu_dirname = "{wid}";
  std::optional<konfig::Value> field(std::string_view name, const kxm::DirContext& at) const {
    if (name == "date") return "2024";
    if (name == "total") return at.num_units;
    return std::nullopt;
  }
};

}  // namespace golden

KONFIG_REGISTER(golden::A, "golden:A");
KXM_COMPONENT(kxm::DirFormat, golden::OwnFormat);

namespace golden {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::List;
using konfig::Value;

Value text_list(const std::vector<std::string>& items) {
  List out;
  for (auto& item : items) out.push_back(item);
  return out;
}

template <class Function>
void compare(std::vector<Mismatch>& out, const std::string& name, const Value& expected,
             const Function& function) {
  auto* error = expected.get_if<Dict>();
  if (error && !error->find("error")) error = nullptr;
  try {
    const Value ours = function();
    if (!error && identical(ours, expected)) return;
    out.push_back({.output = name, .expected = show(expected), .ours = show(ours)});
  } catch (const Error& e) {
    if (error && error_mismatch(*error, e).empty()) return;
    out.push_back({.output = name, .expected = show(expected), .ours = e.what()});
  }
}

// Both folders of the case.
void run_dirs(std::vector<Mismatch>& out, const Dict& args, const Dict& outputs) {
  konfig::Poly<kxm::DirFormat> format;
  auto set = [&](auto formats) {
    for (auto& [k, v] : args.at("subdir_format").as<Dict>()) {
      (k == Value("xp_dirname") ? formats.xp_dirname : formats.wu_dirname) = v;
    }
    format = formats;
  };
  args.find("custom_fields") ? set(OwnFormat()) : set(kxm::SubdirFormat());
  const Value root = args.at("root_dir"), cell = args.at("cell");
  // Through an experiment, with a job that uses the folders.
  Dict sweep_item = decode_kxm(args.at("sweep_item")).as<Dict>();
  const auto unit = args.at("unit").as<std::int64_t>();
  auto plan = [&](const char* proxy) {
    kxm::Experiment xp{.jobs = {{"train", kxm::Job{.target = "x", .args = {{"dir", proxy}}}}},
                       .subdir_format = format};
    xp.name = args.at("title").as<std::string>();
    if (root.is<std::string>()) xp.root_dir = root.as<std::string>();
    if (cell.is<std::string>()) xp.cell = cell.as<std::string>();
    List items;
    for (std::int64_t i = 1; i <= args.at("units").as<std::int64_t>(); ++i) {
      items.push_back(i == unit ? sweep_item : Dict());
    }
    xp.sweep_info = kxm::SimpleSweep{items};
    kxm::PlanContext context{.xid = static_cast<int>(args.at("xid").as<std::int64_t>()),
                             .author = args.at("author").as<std::string>()};
    context.dialect = kxm::Dialect::xmanager;
    if (unit > static_cast<std::int64_t>(items.size())) {
      context.existing_units = static_cast<int>(unit) - 1;  // number 5 of one unit
    }
    return kxm::make_plan(xp, context);
  };
  compare(out, "xp_dir", outputs.at("xp_dir"), [&] { return plan(kxm::XP_DIR_PROXY).dir; });
  compare(out, "wu_dir", outputs.at("wu_dir"), [&]() -> Value {
    for (auto& u : plan(kxm::WU_DIR_PROXY).units) {
      if (u.wid == unit) return u.dir;
    }
    return {};
  });
}

void run_job_args(std::vector<Mismatch>& out, const Dict& args, const Dict& outputs) {
  auto at = [&](const char* key) { return decode_kxm(args.at(key)).as<Dict>(); };
  Dict result;
  std::string problem;
  // Folders whose names are the ones of the case.
  kxm::SubdirFormat format{.xp_dirname = args.at("xp_dir"), .wu_dirname = args.at("wu_dir")};
  Dict debug{{konfig::kQualname, "kauldron.kxm:Debug"}};
  for (auto& [k, v] : at("debug")) debug.set(k, v);
  const konfig::ConfigDict job(Dict{{konfig::kQualname, "kauldron.kxm:Job"},
                                    {"target", "x"},
                                    {"args", at("args")},
                                    {"files", at("files")},
                                    {"env_vars", at("env_vars")},
                                    {"debug", debug},
                                    {"add_jax_flags", args.at("add_jax_flags")}});
  auto run = [&]() -> Dict {
    konfig::ConfigDict xp =
        konfig::lower(kxm::Experiment{.root_dir = "/",
                                      .subdir_format = format,
                                      .sweep_info = kxm::SimpleSweep{List{at("sweep")}}});
    xp["jobs"] = konfig::ConfigDict{{"train", job}};
    kxm::PlanContext context{.xid = 42, .author = "alice"};
    context.dialect = kxm::Dialect::xmanager;
    context.kept_path = [](const kxm::KeptFile& file) { return "/package/" + file.name; };
    const auto plan = kxm::make_plan(xp, context);
    const auto& planned = plan.units.at(0).jobs.at(0);
    Dict env;
    for (auto& [name, text] : planned.env) env.set(name, text);
    return {{"argv", text_list(planned.argv)}, {"env", env}};
  };
  try {
    result = run();
  } catch (const Error& e) {
    problem = e.what();
  }
  for (auto& [k, v] : outputs) {
    const std::string name = k.as<std::string>();
    compare(out, name, v, [&, &v = v]() -> Value {
      if (!problem.empty()) throw Error(konfig::ErrorKind::value, problem);
      // Variables have no order.
      return name == "env" && result.at(name) == v ? v : result.at(name);
    });
  }
}

// A launch is one output: an error, or jobs and experiment.
Dict comparable(const Dict& launch) {
  if (launch.find("error")) return launch;
  Dict out;
  for (auto& [k, v] : launch) out.set(k, v);
  Dict experiment;
  for (auto& [k, v] : out.at("experiment").as<Dict>()) experiment.set(k, v);
  List units;
  for (auto& u : experiment.at("units").as<List>()) {
    Dict unit;
    for (auto& [k, v] : u.as<Dict>()) unit.set(k, v);
    Dict jobs;
    for (auto& [name, j] : unit.at("jobs").as<Dict>()) {
      const Dict& job = j.as<Dict>();
      std::map<std::string, Value> env;  // has no order
      for (auto& [k, v] : job.at("env").as<Dict>()) env[k.as<std::string>()] = v;
      Dict sorted;
      for (auto& [k, v] : env) sorted.set(k, v);
      jobs.set(name, Dict{{"argv", job.at("argv")}, {"env", sorted}, {"name", job.at("name")}});
    }
    unit.set("jobs", jobs);
    units.push_back(unit);
  }
  experiment.set("units", units);
  out.set("experiment", experiment);
  // A path of the reference's build system, "//DIR/x.py", is a file of ours.
  std::string text = show(out);
  for (auto at = text.find("\"//DIR/"); at != text.npos; at = text.find("\"//DIR/")) {
    text.erase(at + 1, 2);
  }
  for (auto at = text.find("\"//EXAMPLES/"); at != text.npos; at = text.find("\"//EXAMPLES/")) {
    text.erase(at + 1, 2);
  }
  return konfig::parse_json(text).as<Dict>();
}

std::vector<Mismatch> run(const Dict& c, Launches& launches) {
  const std::string& group = c.at("group").as<std::string>();
  const std::string& api = c.at("api").as<std::string>();
  const Dict& args = c.at("args").as<Dict>();
  const Dict& outputs = c.at("outputs").as<Dict>();
  std::vector<Mismatch> out;
  auto one = [&](const char* name, const auto& function) {
    compare(out, name, outputs.at(name), function);
  };
  auto whole = [&](const auto& function) { compare(out, group, comparable(outputs), function); };
  if (group == "files") {
    launches.write_files(args.at("files").as<Dict>());
  } else if (group == "sweep_kwargs") {
    one("text", [&]() -> Value {
      return kxm::sweep_kwargs_text(decode_kxm(args.at("sweep_kwargs")).as<Dict>());
    });
  } else if (group == "dirs") {
    run_dirs(out, args, outputs);
  } else if (group == "arg_json") {
    const std::string text = kxm::arg_to_text(decode_kxm(args.at("value")));
    one("text", [&]() -> Value { return text; });
    one("decoded", [&]() -> Value {
      const Value ours = kxm::arg_from_text(text);
      return ours.is<Dict>() ? ours : encode_kxm(ours);
    });
  } else if (group == "job_args") {
    run_job_args(out, args, outputs);
  } else if (group == "argv") {
    one("argv", [&]() -> Value {
      kxm::SequentialArgs all;
      for (auto& part : args.at("parts").as<List>()) all.add(decode_kxm(part));
      return text_list(all.to_list());
    });
  } else if (group == "merge") {
    one("result", [&]() -> Value {
      const List& objects = args.at("objects").as<List>();
      Value result = decode_kxm(objects[0]);
      for (std::size_t i = 1; i < objects.size(); ++i) {
        result = kxm::merge(result, decode_kxm(objects[i]));
      }
      return encode_kxm(result);
    });
  } else if (group == "replace") {
    one("result", [&]() -> Value {
      std::vector<std::pair<std::string, std::optional<Value>>> changes;
      for (auto& [k, v] : args.at("changes").as<Dict>()) {
        const bool missing = v == Value("MISSING");
        changes.emplace_back(k.as<std::string>(),
                             missing ? std::nullopt : std::optional(decode_kxm(v)));
      }
      return encode_kxm(kxm::replace_params(decode_kxm(args.at("object")).as<Dict>(), changes));
    });
  } else if (group == "repr") {
    one("text", [&]() -> Value { return kxm::params_repr(decode_kxm(args.at("object"))); });
  } else if (group == "script_path") {
    one("path", [&]() -> Value { return kxm::script_path(args.at("target").as<std::string>()); });
  } else if (group == "sweep") {
    compare(out, group, outputs, [&]() -> Value { return launches.sweep(api, args); });
  } else if (group == "launch") {
    whole([&]() -> Value { return comparable(launches.launch(args)); });
  } else if (group == "flag_launch") {
    whole([&]() -> Value { return comparable(launches.launch_from_flags(args)); });
  } else {
    out.push_back({.output = "unknown group", .expected = group, .ours = ""});
  }
  return out;
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  golden::Launches launches;
  return golden::walk("kxm", {argv + 1, argv + argc},
                      [&](const konfig::Dict& c, golden::Differences& differences) {
                        return golden::unexcused(golden::run(c, launches), c, differences);
                      });
}
