// kd help: what kd --help prints.
#include "cli/command_line.h"
#include "cli/terminal.h"

namespace cli {
namespace {

struct HelpOptions {
  const CLI::App* kd = nullptr;
};

int help(Session&, const HelpOptions& options) {
  print(help_of(*options.kd));
  return kFine;
}

const AddVerb<HelpOptions> verb = {{
    .name = "help",
    .place = 130,
    .summary = "Show this help",
    .options = [](Options& add, HelpOptions& o) { o.kd = &add.group(); },
    .run = help,
}};

}  // namespace
}  // namespace cli
