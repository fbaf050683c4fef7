// The fields of the config at hand: `kd config help`, and --help beside --cfg=.
#pragma once

#include "cli/session.h"

namespace cli {

void print_config_help(Session& session);

}  // namespace cli
