// kd config: the group of what works on configs alone.
#include "cli/verb.h"

namespace cli {
namespace {

const AddVerb<> verb = {{
    .name = "config",
    .place = 60,
    .summary = "Show, check, compare and change configs",
    .explains_config = true,
    .help_shows_config = true,
}};

}  // namespace
}  // namespace cli
