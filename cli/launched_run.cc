#include "cli/launched_run.h"

#include <algorithm>
#include <filesystem>

#include "base/shape_text.h"
#include "cli/errors.h"
#include "kd/problems/run.h"
#include "konfig/scalar_text.h"
#include "kxm/proxies.h"
#include "kxm/run_jobs.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::Value;

// Flags of kd launch itself.
const std::vector<std::string>& own_flags() {
  static const std::vector<std::string> flags = {
      "--zip",   "--dry_run", "--format=", "--on=",      "--yes",     "--detach",
      "--quiet", "--help",    "-h",        "--threads=", "--device=", "--version"};
  return flags;
}

// A value as a flag of `kd run` takes it.
std::string flag_text(const Value& value) {
  if (auto* text = value.get_if<std::string>()) return *text;
  const konfig::Sequence* items = value.get_if<konfig::List>();
  if (!items) items = value.get_if<konfig::Tuple>();
  if (!items) return konfig::scalar_text(value);
  auto inner = [](const Value& item) {
    return item.is<std::string>() ? konfig::scalar_text(item) : flag_text(item);
  };
  return base::tuple_text(*items, inner);
}

// The same in a sweep. Numbers are alike in both; the launcher would write all else its own way.
Value flag_value(const Value& value) {
  if (value.is<std::int64_t>() || value.is<double>()) return value;
  return flag_text(value);
}

constexpr const char* kFileFlag = "cfg_file";

// "--problem.lr=1" and "--problem.lr" "1" alike; the last of two wins. A beginning of "cfg_file" is
// enough for that.
std::vector<std::pair<std::string, std::string>> flags_of(const RunWords& words) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < words.flags.size(); ++i) {
    const std::string& word = words.flags[i];
    if (!word.starts_with("--")) {
      throw UsageError("unexpected argument '" + word + "'; values are given as --flag=value");
    }
    const auto equals = word.find('=');
    std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    if (!name.empty() && std::string_view(kFileFlag).starts_with(name)) name = kFileFlag;
    if (equals == word.npos && i + 1 == words.flags.size()) {
      throw UsageError(word + ": expects a value: " + word + "=...");
    }
    out.emplace_back(name, equals == word.npos ? words.flags[++i] : word.substr(equals + 1));
  }
  return out;
}

// Sets `name` in the map `key` of the experiment.
void set_in(ConfigDict& xp, const char* key, const std::string& name, const Value& value) {
  const auto guard = xp.ignore_type();
  if (xp.get(key, Value()).is_none()) xp.set(key, Dict());
  xp[key].as<ConfigDict>().set(name, value);
}

// The flag's value: the kept copy of the file.
std::string keep(ConfigDict& xp, const std::string& name, const std::string& file) {
  set_in(xp, "files", name, fs::absolute(file).lexically_normal().string());
  return kxm::file_path(name);
}

[[noreturn]] void refuse_folder(const std::string& flag) {
  throw UsageError("--" + flag +
                   ": every unit has a folder of its own; --xp.root_dir=DIR says below which");
}

}  // namespace

RunWords take_launched_run(std::vector<std::string>& args, std::vector<SweptPath>& swept) {
  RunWords out = take_run_words(args, own_flags());
  for (auto& [path, values] : swept) {
    if (path == kxm::kRunFolderFlag) refuse_folder("sweep." + path);
    if (!path.empty() && std::string_view(kFileFlag).starts_with(path)) path = kFileFlag;
    konfig::List as_flags;
    for (const Value& value : values) as_flags.push_back(flag_value(value));
    values = as_flags;
  }
  return out;
}

SweptFiles keep_swept(ConfigDict& xp, const std::vector<SweptPath>& swept) {
  SweptFiles out;
  std::map<std::string, std::string> known;  // names, and the files that they are of
  for (auto& [path, values] : swept) {
    if (path != kFileFlag) continue;
    for (const Value& value : values) {
      const std::string file = value.is<std::string>() ? value.as<std::string>() : "";
      if (file.empty()) continue;
      const std::string whole = fs::absolute(file).lexically_normal().string();
      const std::string plain = fs::path(file).filename().string();
      std::string name = plain;
      for (int n = 2; known.contains(name) && known[name] != whole; ++n) {
        name = std::to_string(n) + "/" + plain;
      }
      known[name] = whole;
      keep(xp, name, file);
      out[path][file] = name;
    }
  }
  return out;
}

std::vector<std::string> typed_flags(const RunWords& words) {
  std::vector<std::string> out;
  for (auto& [name, value] : flags_of(words)) out.push_back(name);
  return out;
}

void pass_on_run(ConfigDict& xp, const RunWords& words) {
  for (auto& [name, value] : flags_of(words)) {
    if (name == kxm::kRunFolderFlag) refuse_folder(name);
    const bool file = name == kFileFlag && !value.empty();
    set_in(xp, "args", name, file ? keep(xp, fs::path(value).filename().string(), value) : value);
  }
  for (std::size_t i = 0; i < words.files.size(); ++i) {
    if (i > 0) {
      throw UsageError("--load: kd launch takes one file; include the others in it");
    }
    const std::string name =
        std::string(kxm::kLoadedFile) + fs::path(words.files[i]).filename().string();
    set_in(xp, "args", "load", keep(xp, name, words.files[i]));
  }
}

void check_launched_run(const RunWords& words, const kxm::Plan& plan) {
  load_classes(words);
  const auto typed = typed_flags(words);
  for (const kxm::PlannedUnit& unit : plan.units) {
    RunWords all{.flags = words.flags};
    for (auto& [key, value] : unit.args) {
      if (std::ranges::find(typed, key.as<std::string>()) != typed.end()) continue;  // they win
      all.flags.push_back("--" + key.as<std::string>() + "=" + flag_text(value));
    }
    all.flags.push_back("--" + std::string(kxm::kRunFolderFlag) + "=" + unit.dir);
    try {
      kd::problems::lower(parse_experiment(all));
    } catch (const konfig::Error& e) {
      throw UsageError("unit " + std::to_string(unit.wid) + ": " + kd::problems::text_of(e));
    } catch (const std::runtime_error& e) {
      throw UsageError("unit " + std::to_string(unit.wid) + ": " + e.what());
    }
  }
}

}  // namespace cli
