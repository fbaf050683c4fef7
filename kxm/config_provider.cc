#include "kxm/config_provider.h"

#include <algorithm>
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

std::vector<LoadedConfig::Variant> load_variants(const ConfigProvider& provider,
                                                 const std::vector<konfig::Dict>& sets) {
  std::vector<std::string> none;
  const flags::ConfigFlag flag = flag_of(provider);
  std::vector<std::vector<flags::ConfigArg>> args;
  for (auto& set : sets) {
    flags::ConfigFlag more = flag_of({.overrides = konfig::ConfigDict(set)});
    args.push_back(flags::config_args(more));
  }
  std::vector<LoadedConfig::Variant> out;
  for (auto& loaded : loader::load_each(request_of(flag, none), args)) {
    LoadedConfig::Variant& variant = out.emplace_back();
    variant.error = loaded.error;
    if (loaded.error) continue;
    variant.config = loaded.config;
    try {
      flags::ConfigFlag overrides = flag;
      flags::apply_overrides(variant.config, overrides, none);
    } catch (const konfig::Error& e) {
      variant.error = e;
    }
  }
  return out;
}

const LoadedConfig::Sweeps& LoadedConfig::sweeps(const std::vector<std::string>& wanted) const {
  const auto called = [&](const std::string& name) {
    return std::ranges::find(called_sweeps, name) != called_sweeps.end();
  };
  const bool there =
      called_sweeps.empty() || (!wanted.empty() && std::ranges::all_of(wanted, called));
  if (loaded_sweeps && there) return *loaded_sweeps;
  constexpr std::string_view kPrefix = "sweep_";
  std::vector<std::string> functions;
  for (auto& name : wanted) functions.push_back(name.empty() ? "sweep" : "sweep_" + name);
  auto loaded = std::make_shared<Sweeps>();
  const std::vector<std::string> none;
  for (auto& [name, sweep] : loader::load_sweeps(request_of(flag_of(from), none), functions)) {
    (*loaded)[name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : ""] = items_of(sweep);
  }
  loaded_sweeps = loaded;
  called_sweeps = wanted;
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
