#include "kxm/config_provider.h"

#include <filesystem>

#include "flags/config_flag.h"
#include "konfig/literal.h"
#include "kxm/arg_json.h"
#include "loader/loader.h"

namespace kxm {
namespace {

constexpr std::string_view kArgs = "__args__.";

flags::ConfigFlag flag_of(const ConfigProvider& provider) {
  flags::ConfigFlag flag{.name = "cfg",
                         .text = provider.source,
                         .source = provider.source,
                         .args = provider.config_parameter,
                         .overrides = {},
                         .config_args = {}};
  for (auto& [k, v] : provider.overrides.items()) {
    const std::string& path = k.as<std::string>();
    const std::string text = config_arg_to_text(v);
    if (path.starts_with(kArgs)) {
      flag.config_args.push_back({.path = path.substr(kArgs.size()), .text = text, .value = v});
    } else {
      flag.overrides.push_back({.path = path, .text = text, .value = v});
    }
  }
  return flag;
}

loader::Request request_of(const flags::ConfigFlag& flag, const std::vector<std::string>& args) {
  return {.source = flag.source,
          .args = flag.args,
          .config_args = flags::config_args(flag),
          .overrides = [flag, args](const konfig::ConfigDict& cfg) {
            return flags::overridden_values(cfg, flag, args);
          }};
}

}  // namespace

LoadedConfig load_config(flags::ConfigFlag flag, std::vector<std::string>& args) {
  LoadedConfig out;
  out.config = loader::load(request_of(flag, args));
  flags::apply_overrides(out.config, flag, args);
  out.from = {.source = flag.source, .config_parameter = flag.args};
  out.from.overrides = konfig::ConfigDict(flags::override_values(flag));
  return out;
}

LoadedConfig load_config(const ConfigProvider& provider) {
  std::vector<std::string> none;
  auto out = load_config(flag_of(provider), none);
  out.from.overrides = provider.overrides;
  return out;
}

const LoadedConfig::Sweeps& LoadedConfig::sweeps() const {
  if (!loaded_sweeps) {
    auto loaded = std::make_shared<Sweeps>();
    const std::vector<std::string> none;
    for (auto& [name, items] : loader::load_sweeps(request_of(flag_of(from), none))) {
      constexpr std::string_view kPrefix = "sweep_";
      (*loaded)[name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : ""] = items;
    }
    loaded_sweeps = loaded;
  }
  return *loaded_sweeps;
}

std::string LoadedConfig::stem() const {
  return std::filesystem::path(from.source).stem().string();
}

bool LoadedConfig::is_file() const {
  const std::filesystem::path path = from.source;
  return from.source != "-" && (path.has_extension() || path.has_parent_path());
}

void apply_override(konfig::ConfigDict& config, const std::string& path, const std::string& text) {
  flags::ConfigFlag flag{
      .name = "cfg",
      .text = {},
      .source = {},
      .args = {},
      .overrides = {{.path = path, .text = text, .value = konfig::parse_flag_value(text)}},
      .config_args = {}};
  std::vector<std::string> none;
  flags::apply_overrides(config, flag, none);
}

}  // namespace kxm
