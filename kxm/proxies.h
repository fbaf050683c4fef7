// Texts that stand for what is known only at launch. They may occur in any argument.
//
//   Job{.args = {{"workdir", WU_DIR_PROXY}, {"gin", file_path("a.gin")}},
//       .files = {{"a.gin", "configs/a.gin"}}}
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "konfig/value.h"

namespace kxm {

inline constexpr const char* WU_DIR_PROXY = "__kxm_wu_workdir__";  // the unit's folder
inline constexpr const char* XP_DIR_PROXY = "__kxm_xp_workdir__";  // the experiment's folder
// As the value of one argument, "cfg": the config of --cfg=, then --cfg.PATH=VALUE of each
// override.
inline constexpr const char* CFG_FLAG_VALUES = "__kxm_cfg_flag_values__";

// The kept copy of the file `name` of Job::files; at the start of a text.
std::string file_path(std::string_view name);
// The reverse; nothing for any other value.
std::optional<std::string> kept_name(const konfig::Value& value);

// The number of a free port, chosen when the job is started; jobs that name the same one twice get
// the same number.
std::string port_proxy(std::string_view name);

// A value with the forms that people write of the above as these texts, in lists and maps too:
// `kxm.WU_DIR_PROXY` is a constant node in a config.py, and a plain text on a command line.
konfig::Value with_proxies(const konfig::Value& value);

// The reverse, for people.
konfig::Value with_proxy_names(const konfig::Value& value);

// What the proxies stand for; a function of each, called when one occurs.
struct ProxyValues {
  virtual ~ProxyValues() = default;
  virtual std::string wu_dir() = 0;
  virtual std::string xp_dir() = 0;
  // nullptr: a file that the job does not have; the text stays as it is.
  virtual const std::string* file(std::string_view name) = 0;
};

// Every text in the value with its proxies replaced; `percent` doubles each % before (for Borg).
konfig::Value replace_proxies(const konfig::Value& value, ProxyValues& values,
                              bool percent = false);
bool has_proxies(const konfig::Value& value);

}  // namespace kxm
