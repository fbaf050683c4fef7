#include <algorithm>

#include "base/join.h"
#include "kxm/arg_json.h"
#include "kxm/try_overrides_impl.h"

namespace kxm::detail {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;

constexpr std::string_view kFlag = "cfg.";
constexpr std::string_view kArgs = "__args__.";
constexpr std::size_t kAtATime = 64;  // configs that are loaded in one go

std::string shown(const SweepItem& item) {
  const std::string out = base::join(item.shown(), ", ", [](auto& entry) {
    return entry.first.template as<std::string>() + "=" + arg_to_text(entry.second);
  });
  constexpr std::size_t kMost = 80;
  return out.size() > kMost ? out.substr(0, kMost) + "..." : out;
}

std::string key_of(const std::vector<std::pair<std::string, std::string>>& args) {
  std::string out;
  for (auto& [name, text] : args) out += name + "=" + text + "\n";
  return out;
}

Dict dict_of(const std::vector<std::pair<std::string, std::string>>& args) {
  Dict out;
  for (auto& [name, text] : args) out.set(name, arg_from_text(text));
  return out;
}

// What an item sets: arguments of get_config, and overrides of the config.
struct Parts {
  std::vector<std::pair<std::string, std::string>> args = {}, overrides = {};
};
Parts parts_of(const SweepItem& item) {
  Parts out;
  for (auto& [k, v] : item.job_kwargs) {
    const std::string_view key = k.as<std::string>();
    if (!key.starts_with(kFlag)) continue;
    const std::string path(key.substr(kFlag.size()));
    (path.starts_with(kArgs) ? out.args : out.overrides).emplace_back(path, arg_to_text(v));
  }
  return out;
}

}  // namespace

void OverrideTrial::prepare(const std::vector<SweepItem>& items,
                            const std::function<void(int, int)>& progress) {
  auto& known = *config_.variants;
  std::vector<std::string> keys;
  std::vector<Dict> sets;
  std::unordered_set<std::string> seen;
  for (auto& item : items) {
    const Overrides args = parts_of(item).args;
    std::string key = key_of(args);
    if (args.empty() || known.contains(key) || !seen.insert(key).second) continue;
    keys.push_back(std::move(key));
    sets.push_back(dict_of(args));
  }
  for (std::size_t begin = 0; begin < sets.size(); begin += kAtATime) {
    const auto end = std::min(begin + kAtATime, sets.size());
    auto loaded = load_variants(config_.from, {sets.begin() + static_cast<std::ptrdiff_t>(begin),
                                               sets.begin() + static_cast<std::ptrdiff_t>(end)});
    for (std::size_t i = begin; i < end; ++i) known[keys[i]] = std::move(loaded[i - begin]);
    if (progress) progress(static_cast<int>(end), static_cast<int>(sets.size()));
  }
}

void OverrideTrial::apply(ConfigDict& config, const Overrides& overrides) {
  for (auto& [path, text] : overrides) apply_override(config, path, text);
}

// The config that these arguments of get_config give, or the Error that it ends in.
const ConfigDict& OverrideTrial::base(const Overrides& args) {
  if (args.empty()) return config_.config;
  auto& known = *config_.variants;
  auto it = known.find(key_of(args));
  if (it == known.end()) {  // of a unit that a search adds
    it = known.emplace(key_of(args), load_variants(config_.from, {dict_of(args)}).at(0)).first;
  }
  if (it->second.error) throw *it->second.error;
  return it->second.config;
}

ConfigDict OverrideTrial::config_of(const SweepItem& item,
                                    const std::function<bool(const std::string& path)>& wanted) {
  const auto [args, overrides] = parts_of(item);
  Overrides chosen;
  for (auto& [path, text] : overrides) {
    if (wanted(path)) chosen.emplace_back(path, text);
  }
  const ConfigDict& from = base(args);
  if (chosen.empty()) return from;
  ConfigDict out = from.copy();
  apply(out, chosen);
  return out;
}

void OverrideTrial::check(int wid, const SweepItem& item) {
  const auto [args, overrides] = parts_of(item);
  if (args.empty() && overrides.empty()) return;
  // What a type has depends on the type: those are tried together, each time.
  const bool changes_type =
      std::ranges::any_of(overrides, [](auto& one) { return one.first.ends_with("__qualname__"); });
  std::string shape_key = key_of(args);
  for (auto& [path, text] : overrides) shape_key += path + "\n" + (changes_type ? text + "\n" : "");
  try {
    auto it = shapes_.find(shape_key);
    if (it == shapes_.end()) it = shapes_.emplace(shape_key, Shape{base(args).copy(), {}}).first;
    Shape& shape = it->second;
    Overrides fresh;
    for (auto& [path, text] : overrides) {
      if (shape.tried.insert(path + "=" + text).second) fresh.emplace_back(path, text);
    }
    try {
      apply(shape.config, fresh);
    } catch (const Error&) {
      // Earlier values may have changed what fits: this unit's alone decide.
      ConfigDict config = base(args).copy();
      apply(config, overrides);
      shape.config = config;
    }
  } catch (const Error& e) {
    throw Error(e.kind(), "unit " + std::to_string(wid) + " (" + shown(item) + "): " + e.what());
  }
}

}  // namespace kxm::detail
