// The config that the jobs of an experiment run: --cfg= and its overrides.
//
//   ConfigProvider{.source = "my_config.py", .overrides = {{"train_ds.batch_size", 32}}}
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flags/config_args.h"
#include "konfig/component.h"
#include "konfig/value.h"

namespace kxm {

struct ConfigProvider {
  static constexpr std::string_view konfig_raw_fields[] = {"overrides"};

  std::string source = "";            // a name or a file: what --cfg= says before the first ':'
  std::string config_parameter = "";  // what it says behind it: "size=3"
  konfig::ConfigDict overrides = {};  // by path; `__args__.size` is an argument of get_config
};

// A config that is loaded, with its overrides applied.
struct LoadedConfig {
  // What further arguments of get_config make of it: the config, or why there is none.
  struct Variant {
    konfig::ConfigDict config = {};
    std::optional<konfig::Error> error = {};
  };
  using Variants = std::map<std::string, Variant>;
  ConfigProvider from;
  konfig::ConfigDict config = {};  // with all overrides
  // By name ("", "lr"): what `sweep()` and `sweep_lr()` give.
  using Sweeps = std::map<std::string, std::vector<konfig::Dict>>;
  // Those of `wanted` are called when first asked for, all if it is empty; the others are there
  // without items. An Error if one of `wanted` fails.
  const Sweeps& sweeps(const std::vector<std::string>& wanted = {}) const;

  std::string stem() const;  // "my_config" of "configs/my_config.py"
  bool is_file() const;      // false: compiled in

  mutable std::shared_ptr<const Sweeps> loaded_sweeps = {};
  mutable std::vector<std::string> called_sweeps = {};  // of these; empty: all
  // By the text of the arguments. Copies share them: a launch is planned more than once.
  std::shared_ptr<Variants> variants = std::make_shared<Variants>();
};

// Loads the config and applies the overrides; errors name the override.
LoadedConfig load_config(const ConfigProvider& provider);
// The same from the flags --cfg=... of a command line; `args` are the other arguments, of which a
// bare flag may take the next one.
LoadedConfig load_config(flags::ConfigFlag flag, std::vector<std::string>& args);

// The config with each of these sets of further arguments (`__args__.size`) and its own overrides.
std::vector<LoadedConfig::Variant> load_variants(const ConfigProvider& provider,
                                                 const std::vector<konfig::Dict>& sets);

// Applies one more override; `text` is as on a command line.
void apply_override(konfig::ConfigDict& config, const std::string& path, const std::string& text);

}  // namespace kxm

KONFIG_TYPE(kxm::ConfigProvider, "kauldron.kxm:ConfigProvider");
