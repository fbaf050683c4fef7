#include <algorithm>

#include "kxm/arg_json.h"
#include "kxm/try_overrides_impl.h"

namespace kxm::detail {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;

constexpr std::string_view kFlag = "cfg.";
constexpr std::string_view kArgs = "__args__.";
constexpr int kMaxLoads = 16;  // a config.py takes about 0.1 s

std::string shown(const SweepItem& item) {
  std::string out;
  for (auto& [k, v] : item.shown()) {
    out += (out.empty() ? "" : ", ") + k.as<std::string>() + "=" + arg_to_text(v);
  }
  constexpr std::size_t kMost = 80;
  return out.size() > kMost ? out.substr(0, kMost) + "..." : out;
}

}  // namespace

void OverrideTrial::apply(ConfigDict& config, const Overrides& overrides) {
  for (auto& [path, text] : overrides) apply_override(config, path, text);
}

// The config that these arguments of get_config give; nullptr: too many to try.
const LoadedConfig* OverrideTrial::base(const Overrides& args) {
  if (args.empty()) return &config_;
  std::string key;
  for (auto& [name, text] : args) key += name + "=" + text + "\n";
  if (auto it = loaded_.find(key); it != loaded_.end()) return &it->second;
  if (static_cast<int>(loaded_.size()) >= kMaxLoads) return nullptr;
  ConfigProvider from = config_.from;
  Dict overrides = from.overrides.to_dict();
  for (auto& [name, text] : args) overrides.set(name, arg_from_text(text));
  from.overrides = ConfigDict(overrides);
  return &loaded_.emplace(key, load_config(from)).first->second;
}

ConfigDict OverrideTrial::with(const Overrides& overrides) {
  ConfigDict config = config_.config.copy();
  apply(config, overrides);
  return config;
}

std::optional<ConfigDict> OverrideTrial::config_of(
    const SweepItem& item, const std::function<bool(const std::string& path)>& wanted) {
  Overrides args, overrides;
  for (auto& [k, v] : item.job_kwargs) {
    const std::string& key = k.as<std::string>();
    if (!key.starts_with(kFlag)) continue;
    const std::string path = key.substr(kFlag.size());
    if (path.starts_with(kArgs)) {
      args.emplace_back(path, arg_to_text(v));
    } else if (wanted(path)) {
      overrides.emplace_back(path, arg_to_text(v));
    }
  }
  const LoadedConfig* from = base(args);
  if (!from) return {};
  if (overrides.empty()) return from->config;
  ConfigDict out = from->config.copy();
  apply(out, overrides);
  return out;
}

void OverrideTrial::check(int wid, const SweepItem& item) {
  Overrides args, overrides;
  std::string shape_key;
  bool changes_type = false;
  for (auto& [k, v] : item.job_kwargs) {
    const std::string& key = k.as<std::string>();
    if (!key.starts_with(kFlag)) continue;
    std::string path = key.substr(kFlag.size());
    const std::string text = arg_to_text(v);
    if (path.starts_with(kArgs)) {
      shape_key += path + "=" + text + "\n";
      args.emplace_back(path, text);
    } else {
      changes_type |= path.ends_with("__qualname__");
      shape_key += path + "\n";
      overrides.emplace_back(std::move(path), text);
    }
  }
  if (args.empty() && overrides.empty()) return;
  // What a type has depends on the type: those are tried together, each time.
  for (auto& [path, text] : overrides) {
    if (changes_type) shape_key += text + "\n";
  }
  try {
    auto it = shapes_.find(shape_key);
    if (it == shapes_.end()) {
      const LoadedConfig* from = base(args);
      if (!from) {
        ++untried_;
        return;
      }
      it = shapes_.emplace(shape_key, Shape{from->config.copy(), {}}).first;
    }
    Shape& shape = it->second;
    Overrides fresh;
    for (auto& [path, text] : overrides) {
      if (shape.tried.insert(path + "=" + text).second) fresh.emplace_back(path, text);
    }
    try {
      apply(shape.config, fresh);
    } catch (const Error&) {
      // Earlier values may have changed what fits: this unit's alone decide.
      const LoadedConfig* from = base(args);
      ConfigDict config = (from ? from : &config_)->config.copy();
      apply(config, overrides);
      shape.config = config;
    }
  } catch (const Error& e) {
    throw Error(e.kind(), "unit " + std::to_string(wid) + " (" + shown(item) + "): " + e.what());
  }
}

}  // namespace kxm::detail
