// kd state upgrade: the database of an older version.
#include "cli/experiments.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

int upgrade(Session&, const NoOptions&) {
  kxm::State::upgrade(kxm::state_folder());
  print(kxm::state_folder().string() + ": up to date\n");
  return kFine;
}

const AddVerb<> verb = {{
    .name = "state upgrade",
    .place = 20,
    .summary = "Bring the database of an older version to this one",
    .help = R"(
It is built again from the records, and the old one is kept beside it.)",
    .run = upgrade,
}};

}  // namespace
}  // namespace cli
