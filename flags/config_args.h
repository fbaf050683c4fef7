// The arguments of get_config: --cfg=FILE:name='x',size=4 and --cfg.__args__.name=x.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flags/config_flag.h"
#include "konfig/value.h"

namespace konfig {
struct Type;
}

namespace flags {

struct ConfigArg {
  std::string name;
  konfig::Value value;    // what the text means on its own
  std::string text = "";  // as typed; "" when there is none
};

// Those given with --cfg.__args__.
std::vector<ConfigArg> config_args(const ConfigFlag& flag);

// "name='x',size=4". Values are literals, else text; an Error when it has another form.
std::vector<ConfigArg> parse_config_args(std::string_view text);

// The arguments as a map; of one name the last counts. Values are read in favour of the fields of
// `type` (nullptr: as they are).
konfig::Dict args_for(const konfig::Type* type, const std::vector<ConfigArg>& args);

}  // namespace flags
