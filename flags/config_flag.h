// The flags of a config: --cfg=FILE[:ARGS], --cfg.path=value, --cfg.path, --nocfg.path.
//
//   std::vector<std::string> args(argv + 1, argv + argc);
//   flags::ConfigFlag flag = flags::take_config_flag(args);       // `args` keeps the rest
//   konfig::ConfigDict cfg = loader::load({.source = flag.source,
//                                          .args = flag.args,
//                                          .config_args = flags::config_args(flag), ...});
//   flags::apply_overrides(cfg, flag, args);
//
// Two stages, as in Kauldron: flags are read without knowing the config, and overrides are applied
// once it is built, so their order among each other does not matter for references.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/value.h"

namespace flags {

// One --cfg.path=value.
struct Override {
  std::string path;     // as typed: "transforms[0].keep"
  std::string text;     // after '='; "" for a bare flag
  konfig::Value value;  // what the text means on its own; `py::...` stays text
  bool bare = false;    // --cfg.path: true, unless the field wants a value that follows
  // Where the word after a bare flag stands in the rest of the arguments.
  std::optional<std::size_t> next = {};
};

struct ConfigFlag {
  std::string name;                   // "cfg"
  std::string text;                   // what --cfg= says; "" when it is absent
  std::string source;                 // the part before the first ':'
  std::string args;                   // the part after it
  std::vector<Override> overrides;    // each path once, without `__args__`
  std::vector<Override> config_args;  // --cfg.__args__.name=value, paths without `__args__.`
};

// Takes the flags of `name` out of `args`. Arguments after "--" are left alone. A flag before
// --cfg=, a path given together with one inside it, or a path that does not parse is an Error.
ConfigFlag take_config_flag(std::vector<std::string>& args, std::string_view name = "cfg",
                            const std::string& default_source = "");

// Writes the overrides into the config. Where the field's type makes the meaning certain, the text
// is read in its favour: 12 for a text field is "12", 1 for a boolean is true, 1e3 for a whole
// number is 1000. A bare flag on a field that is no boolean takes the next of `args`. The flag
// keeps what was understood, for override_values.
void apply_overrides(konfig::ConfigDict& cfg, ConfigFlag& flag, std::vector<std::string>& args);

// The map {path: value} of everything that was overridden, for records and headers.
konfig::Dict override_values(const ConfigFlag& flag);

// What the overrides make of the fields they name, in a copy of `cfg`; {} when they do not fit.
konfig::Dict overridden_values(const konfig::ConfigDict& cfg, const ConfigFlag& flag,
                               const std::vector<std::string>& args);

}  // namespace flags
