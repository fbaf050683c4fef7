// kd data: the group of what looks at the data of a config.
#include "cli/verb.h"

namespace cli {
namespace {

const AddVerb<> verb = {{
    .name = "data",
    .place = 90,
    .summary = "Look at the data of a config",
    .explains_config = true,
}};

}  // namespace
}  // namespace cli
