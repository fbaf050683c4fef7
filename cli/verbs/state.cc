// kd state: a group; where what was launched is kept.
#include "cli/verb.h"

namespace cli {
namespace {

const AddVerb<> verb = {{
    .name = "state",
    .place = 36,
    .summary = "Mend the records of what was launched",
    .help = R"(
The database behind `kd status` is in $KD_STATE, by default
~/.local/state/kauldron. All of it follows from records beside the results.)",
}};

}  // namespace
}  // namespace cli
