#include "cli/config_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/shell_quote.h"
#include "cli/terminal.h"
#include "kd/engine/options.h"
#include "konfig/error.h"
#include "loader/loader.h"

namespace cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfigFile = "config.json";

bool is_name(const std::string& source) {
  const auto names = loader::names();
  return std::find(names.begin(), names.end(), source) != names.end();
}

// What `file`, the record of a run, names.
void load_types_of(const std::string& kept, const fs::path& file) {
  std::error_code error;
  if (!is_name(kept) && !fs::exists(kept, error)) {
    remark(file.string() + ": there is no " + kept +
           " any more; if the config has types of its own, name the file: --cfg=FILE.cc");
    return;
  }
  try {
    if (loader::is_cc_file(kept)) {
      loader::load_types(kept);
    } else {
      loader::load({.source = kept});
    }
  } catch (const konfig::Error& e) {
    throw konfig::Error(e.kind(), file.string() + ": " + e.what());
  }
}

}  // namespace

std::string source_to_keep(const std::string& source) {
  if (is_name(source)) return source;
  return loader::is_cc_file(source) ? fs::absolute(source).lexically_normal().string() : "";
}

void load_types_for(const std::string& source) {
  const fs::path config = source;
  if (config.filename() != kConfigFile) return;
  const fs::path file = config.parent_path() / kd::engine::kSourceFile;
  std::ifstream in(file);
  for (std::string kept; std::getline(in, kept);) load_types_of(kept, file);
}

bool is_config_of_run(const std::string& source) {
  const fs::path config = source;
  std::error_code ignored;
  return config.filename() == kConfigFile &&
         fs::exists(config.parent_path() / "element_spec.json", ignored);
}

std::string advice_if_damaged(const std::string& source) {
  if (!is_config_of_run(source)) return "";
  const fs::path run = fs::path(source).parent_path(), experiment = run / "config.yaml";
  std::error_code ignored;
  const std::string resume =
      fs::exists(experiment, ignored)
          ? "`kd run --cfg_file=" + base::shell_quote(experiment.string()) + "`"
          : "`kd resume " + base::shell_quote(run.string()) +
                " --cfg=FILE` with the config it was started with";
  return "\nIt is the config of a run. To resume the run and write it anew: " + resume;
}

}  // namespace cli
