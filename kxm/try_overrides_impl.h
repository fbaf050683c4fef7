// Tries what a sweep sets in a config before anything is started: a wrong path stops the launch.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kxm/config_provider.h"
#include "kxm/sweep_info.h"

namespace kxm::detail {

class OverrideTrial {
 public:
  explicit OverrideTrial(const LoadedConfig& config) : config_(config) {}

  // Each path with each of its values is tried once, on a config that has the other paths of the
  // unit set, too. An Error names the unit and the path.
  void check(int wid, const SweepItem& item);

  // The config with the paths below these parts set; for jobs that a unit changes.
  konfig::ConfigDict with(const std::vector<std::pair<std::string, std::string>>& overrides);

  // The config of a unit, with what it sets at the paths that are `wanted`; none where its
  // arguments of get_config were not tried.
  std::optional<konfig::ConfigDict> config_of(
      const SweepItem& item, const std::function<bool(const std::string& path)>& wanted);

  // Arguments of get_config that were not tried: each one means to load the config again.
  int untried() const { return untried_; }

 private:
  struct Shape {  // units that set the same paths
    konfig::ConfigDict config;
    std::unordered_set<std::string> tried;
  };
  using Overrides = std::vector<std::pair<std::string, std::string>>;
  const LoadedConfig* base(const Overrides& args);
  static void apply(konfig::ConfigDict& config, const Overrides& overrides);

  const LoadedConfig& config_;
  std::unordered_map<std::string, Shape> shapes_;
  std::map<std::string, LoadedConfig> loaded_;  // by the arguments of get_config
  int untried_ = 0;
};

}  // namespace kxm::detail
