// The config that a command line names: --cfg=..., its overrides, and the other arguments.
//
//   std::vector<std::string> args = {"config", "show", "--cfg=mnist_autoencoder", "--cfg.seed=1"};
//   Session session(args);
//   session.args();      // {"config", "show"}
//   session.config();    // loaded and overridden, on first use
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flags/config_flag.h"
#include "konfig/value.h"
#include "loader/loader.h"

namespace cli {

class Session {
 public:
  // Takes the config flags out of the arguments. A malformed one is a UsageError.
  explicit Session(std::vector<std::string> args);
  // One side of a comparison: the flags --a.path=value taken out before.
  explicit Session(flags::ConfigFlag flag) : flag_(std::move(flag)) {}

  const std::vector<std::string>& args() const { return args_; }
  const flags::ConfigFlag& flag() const { return flag_; }
  bool has_config() const { return !flag_.source.empty(); }

  // The config with its overrides. Without --cfg= it is a UsageError. With --patch.NAME=VALUE flags
  // it is made short afterwards (cli/patch.h).
  const konfig::ConfigDict& config();
  // What the patches changed in config(): {path: value}.
  const konfig::Dict& patches();
  // The config for `kd check`: made short in any case.
  konfig::ConfigDict trial_config();
  // The config of a command that only the reference has: made short in any case.
  konfig::ConfigDict reference_config();
  // With its overrides, never made short.
  konfig::ConfigDict full_config();
  const std::string& source() const { return flag_.text; }  // what --cfg= says
  loader::Request request() const;

 private:
  flags::ConfigFlag flag_;
  flags::ConfigFlag patch_ = {};
  std::vector<std::string> args_;
  std::optional<konfig::ConfigDict> config_;
  konfig::Dict patches_ = {};
};

// Takes --name=... and --name.path=value out of `args`; a malformed flag is a UsageError.
flags::ConfigFlag take_flag(std::vector<std::string>& args, const std::string& name,
                            const std::string& default_source = "");

}  // namespace cli
