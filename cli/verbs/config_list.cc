// kd config list: the names --cfg= knows.
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

int list(Session&, const NoOptions&) {
  for (auto& name : loader::names()) print(name + "\n");
  return kFine;
}

const AddVerb<> verb = {{
    .name = "config list",
    .place = 80,
    .summary = "List the configs compiled into this program",
    .help = R"(
Example:
  kd config show --cfg=$(kd config list | head -1))",
    .run = list,
}};

}  // namespace
}  // namespace cli
