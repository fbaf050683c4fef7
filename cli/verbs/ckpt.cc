// kd ckpt: the group of what works on checkpoints.
#include "cli/verb.h"

namespace cli {
namespace {

const AddVerb<> verb = {{
    .name = "ckpt",
    .place = 80,
    .summary = "Show, compare and import checkpoints",
}};

}  // namespace
}  // namespace cli
