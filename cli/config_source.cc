#include "cli/config_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/terminal.h"
#include "kd/engine/options.h"
#include "konfig/error.h"
#include "loader/loader.h"

namespace cli {

namespace fs = std::filesystem;

namespace {

bool is_name(const std::string& source) {
  const auto names = loader::names();
  return std::find(names.begin(), names.end(), source) != names.end();
}

}  // namespace

std::string source_to_keep(const std::string& source) {
  if (is_name(source)) return source;
  return loader::is_cc_file(source) ? fs::absolute(source).lexically_normal().string() : "";
}

void load_types_for(const std::string& source) {
  const fs::path config = source;
  if (config.filename() != "config.json") return;
  const fs::path file = config.parent_path() / kd::engine::kSourceFile;
  std::string kept;
  if (std::ifstream in(file); !std::getline(in, kept)) return;
  if (!is_name(kept)) {
    std::error_code error;
    if (!fs::exists(kept, error)) {
      remark(file.string() + ": there is no " + kept +
             " any more; if the config has types of its own, name the file: --cfg=FILE.cc");
      return;
    }
  }
  try {
    loader::load({.source = kept});
  } catch (const konfig::Error& e) {
    throw konfig::Error(e.kind(), file.string() + ": " + e.what());
  }
}

}  // namespace cli
