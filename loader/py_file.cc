// Kauldron's config.py files: evaluated by a Python script of ours, decoded here.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <system_error>

#include "base/number_in.h"
#include "konfig/json.h"
#include "konfig/registry.h"
#include "loader/build_info_impl.h"
#include "loader/decode_impl.h"
#include "loader/exception_kind_impl.h"
#include "loader/files_impl.h"
#include "loader/locations.h"
#include "loader/sources_impl.h"
#include "loader/subprocess_impl.h"

namespace loader {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

std::chrono::milliseconds time_limit() {
  const auto text = environment("KD_PY_TIMEOUT");
  double seconds = 60;
  if (!text.empty()) {
    seconds = base::number_in<double>(text).value_or(0);
    if (!(seconds > 0)) {
      throw Error(ErrorKind::value, "KD_PY_TIMEOUT=" + text + ": expected a number of seconds");
    }
  }
  return std::chrono::milliseconds(static_cast<long long>(std::min(seconds, 1e6) * 1000) + 1);
}

std::string trimmed(const std::string& text) {
  return text.substr(0, text.find_last_not_of(" \r\n") + 1);
}

// "size=3"
std::string assignment(const flags::ConfigArg& arg) {
  auto& [name, value, text] = arg;
  return name + '=' + (text.empty() ? konfig::to_json(encode_value(value)) : text);
}

std::vector<std::string> command_line(const Request& request) {
  const auto& file = request.source;
  std::vector<std::string> out = {"python3", "-I", "-S",
                                  (python_dir() / "kd_config_loader.py").string(),
                                  file.starts_with('-') ? "./" + file : file};
  if (!request.args.empty()) out.push_back("--args=" + request.args);
  for (auto& arg : request.config_args) out.push_back("--arg=" + assignment(arg));
  return out;
}

// The kind of the exception that ended the script; `out` is what it wrote.
ErrorKind kind_of_failure(const std::string& out) {
  try {
    const auto data = konfig::parse_json(out);
    return kind_of_exception(data.as<Dict>().at("error").as<std::string>());
  } catch (const Error&) {
    return ErrorKind::value;  // it ended before it could say why
  }
}

// One part of the output that is {"error": "ValueError", "message": ...}.
std::optional<Error> failure_of(const Dict& part) {
  auto* kind = part.find("error");
  if (!kind) return {};
  return Error(kind_of_exception(kind->as<std::string>()),
               trimmed(part.at("message").as<std::string>()));
}

// What the script writes, or an Error with what it says.
Dict evaluate(const Request& request, const std::vector<std::string>& options) {
  require_file(request.source);
  if (!find_program("python3")) {
    throw Error(ErrorKind::value, request.source +
                                      ": python3 is needed to read a config.py file, and it is not "
                                      "found; install it, or use a .cc, .json or .yaml config");
  }
  Command command{.argv = command_line(request), .timeout = time_limit()};
  command.argv.insert(command.argv.end(), options.begin(), options.end());
  Outcome outcome;
  try {
    outcome = run(command);
  } catch (const std::system_error& e) {
    throw Error(ErrorKind::value, request.source + ": cannot run python3: " + e.what());
  }
  const auto said = trimmed(outcome.err);
  if (outcome.timed_out) {
    std::ostringstream text;
    text << request.source << ": no result after "
         << static_cast<double>(command.timeout.count() - 1) / 1000
         << " seconds, stopped (KD_PY_TIMEOUT=seconds gives it more)";
    throw Error(ErrorKind::value, text.str() + (said.empty() ? "" : "\n" + said));
  }
  if (!outcome.ok()) {
    auto text = said.empty() ? request.source + ": python3 failed" : said;
    if (outcome.signal != 0) text += " (signal " + std::to_string(outcome.signal) + ")";
    throw Error(kind_of_failure(outcome.out), text);
  }
  if (!said.empty()) std::cerr << said << '\n';  // what the file printed
  auto data = konfig::parse_json(outcome.out);
  auto* dict = data.get_if<Dict>();
  if (!dict || !(dict->find("config") || dict->find("each"))) {
    throw Error(ErrorKind::value, request.source + ": python3 gave no config");
  }
  return *dict;
}

const Value& field(const Dict& data, const char* name, const Value& otherwise) {
  auto* found = data.find(name);
  return found ? *found : otherwise;
}

// Whether writing to one of the paths can change what the other one reads.
bool overlap(const std::string& a, const std::string& b) {
  const auto& [shorter, longer] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
  if (!longer.starts_with(shorter)) return false;
  return longer.size() == shorter.size() || longer[shorter.size()] == '.' ||
         longer[shorter.size()] == '[';
}

// What functions of the file read.
std::vector<std::string> read_by_functions(const Dict& data) {
  std::vector<std::string> out;
  for (auto& warning : field(data, "warnings", List()).as<List>()) {
    for (auto& path : field(warning.as<Dict>(), "reads", List()).as<List>()) {
      out.push_back(path.as<std::string>());
    }
  }
  return out;
}

// The overrides that concern those functions: they were called without knowing them.
std::vector<std::string> overrides_to_pass(const std::vector<std::string>& read,
                                           const Dict& overrides) {
  std::vector<std::string> out;
  for (auto& [key, value] : overrides) {
    const auto& path = key.as<std::string>();
    if (std::any_of(read.begin(), read.end(), [&](auto& one) { return overlap(one, path); })) {
      out.push_back("--set=" + path + '=' + konfig::to_json(encode_value(value)));
    }
  }
  return out;
}

// Remarks other than "called once": those are dealt with by passing the overrides.
void show_warnings(const Dict& data) {
  for (auto& warning : field(data, "warnings", List()).as<List>()) {
    auto& note = warning.as<Dict>();
    if (field(note, "reads", List()).as<List>().empty()) {
      std::cerr << "warning: " << field(note, "message", "").as<std::string>() << '\n';
    }
  }
}

// Short names and default fields that the file registered.
void register_names(const Dict& data) {
  for (auto& [module, alias] : field(data, "aliases", Dict()).as<Dict>()) {
    konfig::register_alias(module.as<std::string>(), alias.as<std::string>());
  }
  for (auto& encoded : field(data, "default_values", List()).as<List>()) {
    const auto node = decode_config(encoded);
    konfig::clear_default_values(node.qualname());  // the file decides
    konfig::register_default_values(node);
  }
}

konfig::ConfigDict config_of(const Request& request, const Dict& data) {
  try {
    return decode_config(data.at("config"));
  } catch (const Error& e) {
    throw Error(e.kind(), request.source + ": " + e.what());
  }
}

}  // namespace

konfig::ConfigDict load_py_file(const Request& request) {
  using Options = std::vector<std::string>;
  auto data = evaluate(request, request.locate ? Options{"--locations"} : Options{});
  register_names(data);
  auto cfg = config_of(request, data);
  if (request.locate) set_locations(field(data, "locations", Dict()).as<Dict>());
  const auto read = read_by_functions(data);
  if (!read.empty() && request.overrides) {
    const auto options = overrides_to_pass(read, request.overrides(cfg));
    if (!options.empty()) {
      data = evaluate(request, options);
      cfg = config_of(request, data);
    }
  }
  show_warnings(data);
  return cfg;
}

std::vector<ConfigFile> py_file_files(const Request& request) {
  namespace fs = std::filesystem;
  const fs::path config = fs::absolute(request.source).lexically_normal();
  const auto data = evaluate(request, {});
  struct Import {
    fs::path folder, file;
  };
  std::vector<Import> imports;
  fs::path root = config.parent_path();
  for (auto& entry : field(data, "files", List()).as<List>()) {
    const auto& pair = entry.as<List>();
    imports.push_back({pair[0].as<std::string>(), pair[1].as<std::string>()});
    // Modules are looked for in the folders above the config.
    const fs::path& folder = imports.back().folder;
    const bool above = config.string().starts_with((folder / "").string());
    if (above && folder.string().size() < root.string().size()) root = folder;
  }
  std::vector<ConfigFile> out = {{config.lexically_relative(root).string(), config}};
  for (const Import& import : imports) {
    const bool below = import.file.string().starts_with((root / "").string());
    out.push_back(
        {import.file.lexically_relative(below ? root : import.folder).string(), import.file});
  }
  return out;
}

std::vector<Loaded> load_py_file_each(const Request& request,
                                      const std::vector<std::vector<flags::ConfigArg>>& sets) {
  List all;
  for (auto& set : sets) {
    List args;
    for (auto& arg : set) args.push_back(assignment(arg));
    all.push_back(args);
  }
  const auto data = evaluate(request, {"--each=" + konfig::to_json(all)});
  const auto& each = data.at("each").as<List>();
  std::vector<Loaded> out;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Dict& one = each[i].as<Dict>();
    try {
      if (auto failure = failure_of(one)) throw *failure;
      register_names(one);
      // What its functions read has to be known first.
      const bool again = !read_by_functions(one).empty() && request.overrides;
      out.push_back(
          {.config = again ? load_py_file(with_args(request, sets[i])) : config_of(request, one)});
    } catch (const Error& e) {
      out.push_back({.error = e});
    }
  }
  return out;
}

Sweeps py_file_sweeps(const Request& request, const WantedSweeps& wanted) {
  std::vector<std::string> options;
  for (auto& name : wanted.names) options.push_back("--sweep=" + name);
  if (options.empty()) options = {"--sweep=*"};
  const auto data = evaluate(request, options);
  Sweeps out;
  for (auto& name : data.at("sweep_names").as<List>()) out[name.as<std::string>()] = {};
  for (auto& [name, items] : data.at("sweeps").as<Dict>()) {
    auto& sweep = out[name.as<std::string>()];
    if (auto* failure = items.get_if<Dict>()) {
      sweep.error = failure_of(*failure);
      continue;
    }
    for (auto& item : items.as<List>()) {
      SweepItem decoded;
      for (auto& [path, value] : item.as<Dict>()) decoded.set(path, decode_value(value));
      sweep.items.push_back(decoded);
    }
  }
  return out;
}

}  // namespace loader
