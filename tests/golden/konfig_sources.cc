// Runs the golden cases that load config.py files.
#include "tests/golden/konfig_sources.h"

#include <stdlib.h>

#include <fstream>
#include <regex>

#include "base/replace_all.h"
#include "flags/config_flag.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "loader/loader.h"
#include "tests/golden/compare.h"
#include "tests/golden/konfig_codec.h"

namespace golden {
namespace {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

bool is_true(const Dict& args, const char* name) {
  auto* found = args.find(name);
  return found && truth(*found);
}

// This program has no other flags. What is left are its positional arguments.
std::vector<std::string> positional(const std::vector<std::string>& rest) {
  std::vector<std::string> out;
  bool flags = true;
  for (auto& word : rest) {
    if (flags && word == "--") {
      flags = false;
    } else if (flags && word.starts_with('-')) {
      throw Error(ErrorKind::value, "unknown flag " + word);
    } else {
      out.push_back(word);
    }
  }
  return out;
}

// A file that is not there or is no Python: of kind `value`, with the file, and the line if there
// is one. The reference loads it while it reads the flags.
std::string error_mismatch_of_file(const std::string& message, const Error& ours) {
  if (ours.kind() != ErrorKind::value) {
    return "kind " + std::string(to_string(ours.kind())) + " does not match that of a file";
  }
  static const std::regex missing(R"(No such file or directory: '(?:[^']*/)?([^'/]+)')");
  static const std::regex syntax(R"(\((\S+), line (\d+)\))");
  std::smatch found;
  std::vector<std::string> parts = {"--cfg"};  // no path at all: the flag
  if (std::regex_search(message, found, missing)) parts = {found[1].str() + ": no such file"};
  if (std::regex_search(message, found, syntax)) {
    parts = {found[1].str() + ":" + found[2].str(), "SyntaxError"};
  }
  for (const std::string& part : parts) {
    if (std::string(ours.what()).find(part) == std::string::npos) {
      return "our text does not name " + part;
    }
  }
  return "";
}

// "" when our error is the expected one. The reference loads the file while it reads the flags, and
// each part of its flag library has exceptions of its own: both are no difference.
std::string error_mismatch_of_flags(const Dict& expected, const Error& ours,
                                    const std::string& stage, bool legacy) {
  const auto& error = expected.at("error").as<std::string>();
  const auto& their_stage = expected.at("stage").as<std::string>();
  if (error == "OSError" || error == "SyntaxError") {
    return error_mismatch_of_file(expected.at("message").as<std::string>(), ours);
  }
  if (their_stage == "parse") {
    const bool types_known = legacy;  // the reference's old flags look at the config while parsing
    if (stage == "parse" ? ours.kind() == ErrorKind::value : types_known) return "";
    return "expected at parsing, got at " + stage;
  }
  if (their_stage != stage) return "expected at " + their_stage + ", got at " + stage;
  return error_mismatch(expected, ours);
}

// "" when the outputs agree.
std::string mismatch(const Dict& expected, const Dict& ours, bool legacy) {
  for (auto& [key, value] : expected) {
    auto* found = ours.find(key);
    // The old flags record values in the type of the field: 1 as 1.0.
    const bool loose = legacy && key == Value("override_values");
    if (!found || !(loose ? *found == value : identical(*found, value))) {
      return key.as<std::string>() + " differs";
    }
  }
  return "";
}

std::vector<std::string> report(const Occasion& occasion, const std::string& ours,
                                const std::string& problem, Differences& differences) {
  if (problem.empty() || differences.excuse(occasion, ours)) return {};
  return {occasion.input + ": " + problem + "\n    expected " + occasion.expected +
          "\n    got      " + ours};
}

}  // namespace

Sources::Sources() {
  ::setenv("KD_PY_TIMEOUT", "600", 0);  // the machine may be busy with other tests
}

std::string Sources::write(const std::string& name, const std::string& text) const {
  const auto file = folder_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

void Sources::write_files(const Dict& args) {
  for (auto& [name, text] : args.at("files").as<Dict>()) {
    write(name.as<std::string>(), text.as<std::string>());
  }
}

// Starting Python for each case would take long, and most cases differ in overrides only.
ConfigDict Sources::load_or_copy(const flags::ConfigFlag& flag,
                                 const std::vector<std::string>& rest) {
  bool uses_overrides = false;
  const loader::Request request{.source = flag.source,
                                .args = flag.args,
                                .config_args = flags::config_args(flag),
                                .overrides = [&](const ConfigDict& cfg) {
                                  uses_overrides = true;
                                  return flags::overridden_values(cfg, flag, rest);
                                }};
  std::string key = flag.text;
  for (auto& arg : request.config_args) key += "\n" + arg.name + "=" + arg.value.repr() + arg.text;
  if (auto it = loaded_.find(key); it != loaded_.end()) return it->second.copy();
  const auto cfg = loader::load(request);
  if (!uses_overrides) loaded_.emplace(key, cfg);
  return cfg.copy();
}

// `record` and `stage` say how far it came.
ConfigDict Sources::load(const Dict& args, std::vector<std::string>& rest, Dict& record,
                         std::string& stage) {
  std::string source;
  if (auto* given = args.find("flag_default")) {
    source = base::replace_all(given->as<std::string>(), "FILE", folder_.path().string());
  }
  stage = "parse";
  auto flag = flags::take_config_flag(rest, "cfg", source);
  auto undecided = rest;
  std::erase_if(undecided, [](auto& word) { return !word.starts_with("--"); });
  positional(undecided);  // unknown flags are found at once
  record.set("config_filename", base::replace_all(flag.text, folder_.path().string(), "<dir>"));

  stage = "value";
  auto cfg = load_or_copy(flag, rest);
  flags::apply_overrides(cfg, flag, rest);
  record.set("override_values", encode(flags::override_values(flag)));
  return cfg;
}

std::vector<std::string> Sources::run_flags(const std::string& name, const Dict& args,
                                            const Dict& outputs, Differences& differences) {
  std::vector<std::string> rest;
  for (auto& word : args.at("argv").as<List>()) {
    rest.push_back(base::replace_all(word.as<std::string>(), "FILE", folder_.path().string()));
  }
  const bool legacy = is_true(args, "use_legacy_flag");
  const Occasion occasion{name, "", "", show(args), show(outputs)};
  Dict ours;
  std::string stage, problem;
  try {
    Dict record;
    const auto cfg = load(args, rest, record, stage);
    stage = "json";
    ours.set("json", konfig::to_json(cfg));
    List words;
    for (auto& word : positional(rest)) words.push_back(word);
    ours.set("positional", words);
    for (auto& [key, value] : record) ours.set(key, value);
    problem = outputs.find("error") ? "no error" : mismatch(outputs, ours, legacy);
  } catch (const Error& e) {
    ours = {{"error", std::string(to_string(e.kind()))}, {"message", e.what()}, {"stage", stage}};
    problem =
        outputs.find("error") ? error_mismatch_of_flags(outputs, e, stage, legacy) : "an error";
  }
  return report(occasion, base::replace_all(show(ours), folder_.path().string(), "<dir>"), problem,
                differences);
}

std::vector<std::string> Sources::run_snippet(const std::string& name, const Dict& args,
                                              const Dict& outputs, Differences& differences) {
  const auto& source = args.at("source").as<std::string>();
  const auto file = write("snippet.py", "from kauldron import konfig\n" + source +
                                            "\ndef get_config(*args):\n"
                                            "  is_config = isinstance(out, konfig.ConfigDict)\n"
                                            "  return out if is_config else {'out': out}\n");
  Dict ours;
  std::string problem;
  try {
    const auto cfg = loader::load({.source = file});
    if (outputs.find("value")) {
      ours.set("value", encode(cfg["out"].get()));
    } else {
      ours.set("json", konfig::to_json(cfg));
      ours.set("repr", konfig::repr(cfg));
    }
    problem = outputs.find("error") ? "no error" : mismatch(outputs, ours, false);
  } catch (const Error& e) {
    ours = {{"error", std::string(to_string(e.kind()))}, {"message", e.what()}};
    problem = outputs.find("error") ? error_mismatch(outputs, e) : "an error";
  }
  return report({name, "", "", show(args), show(outputs)}, show(ours), problem, differences);
}

}  // namespace golden
