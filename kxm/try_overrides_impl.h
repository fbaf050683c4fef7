// Tries what a sweep sets in a config before anything is started: a wrong path stops the launch.
#pragma once

#include <functional>
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

  // Loads the configs of all arguments of get_config that units have, many at a time; `progress`
  // hears how many of how many.
  void prepare(const std::vector<SweepItem>& items, const std::function<void(int, int)>& progress);

  // Each path with each of its values is tried once, on a config that has the other paths of the
  // unit set, too. An Error names the unit and the path.
  void check(int wid, const SweepItem& item);

  // The config of a unit, with what it sets at the paths that are `wanted`.
  konfig::ConfigDict config_of(const SweepItem& item,
                               const std::function<bool(const std::string& path)>& wanted);

 private:
  struct Shape {  // units that set the same paths
    konfig::ConfigDict config;
    std::unordered_set<std::string> tried;
  };
  using Overrides = std::vector<std::pair<std::string, std::string>>;
  const konfig::ConfigDict& base(const Overrides& args);
  static void apply(konfig::ConfigDict& config, const Overrides& overrides);

  const LoadedConfig& config_;
  std::unordered_map<std::string, Shape> shapes_;
};

}  // namespace kxm::detail
