// Settings of launches that belong to a site rather than to an experiment: launch.yaml.
//
//   places:
//     gpu:
//       partition: gpu-long
//       account: vision
//       qos: normal
//       setup: [module load cuda, "source env"]
//   platforms:
//     big: a100=8
//     fast: h100
//
//   gpus:
//     a100: nvidia_a100_80gb
//     t4: ""
//
// A place is what xp.cell names, and its set-up are shell lines before the program. A platform is
// another name for one: xp.platform="big" means "a100=8", and "fast=2" means "h100=2". `gpus` are
// the cluster's names of GPUs; "" where it does not tell them apart. Two files are read:
// launch.yaml in the folder kauldron of $XDG_CONFIG_HOME, by default ~/.config, and launch.yaml in
// the working directory. What the latter names replaces what the former calls the same.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/component.h"

namespace kxm {

// Where jobs run on a cluster.
struct Place {
  std::string partition = {};           // default: the cluster's
  std::string account = {};             // default: the user's
  std::string qos = {};                 // default: the account's
  std::vector<std::string> setup = {};  // lines of bash before the program

  bool operator==(const Place&) const = default;
};

struct Settings {
  std::map<std::string, Place> places = {};
  std::map<std::string, std::string> platforms = {};  // names to platforms: "big" to "a100=8"
  std::map<std::string, std::string> gpus = {};       // "a100" to "nvidia_a100_80gb"

  // An Error names those there are.
  const Place& place(const std::string& name) const;
  bool operator==(const Settings&) const = default;
};

// What to say of a place that is not there; `known` are those that are.
std::string no_such_place(const std::string& name, const std::vector<std::string>& known);

// Unknown keys and wrong types are an Error that starts with the place: "places.gpu.qos: ...".
Settings parse_settings(std::string_view yaml);

// Those that exist, in the order in which they are read.
std::vector<std::filesystem::path> settings_files(const std::filesystem::path& folder);
// An Error names the file.
Settings read_settings(const std::filesystem::path& folder = ".");

}  // namespace kxm

KONFIG_TYPE(kxm::Place, "kauldron.kxm:Place");
