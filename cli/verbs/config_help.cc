// kd config help: the fields of the config at hand.
#include "cli/config_help.h"
#include "cli/command_line.h"
#include "cli/terminal.h"

namespace cli {
namespace {

struct HelpOptions {
  const CLI::App* config = nullptr;  // the group, explained when there is no config
};

int help(Session& session, const HelpOptions& options) {
  if (session.has_config()) {
    print_config_help(session);
  } else {
    print(help_of(*options.config));
  }
  return kFine;
}

const AddVerb<HelpOptions> verb = {{
    .name = "config help",
    .place = 90,
    .summary = "List the fields of a config: paths, types, values, docs",
    .help = R"(
Examples:
  kd config help --cfg=mnist_autoencoder
  kd config show --cfg=mnist_autoencoder --help)",
    .explains_config = true,
    .help_shows_config = true,
    .options = [](Options& add, HelpOptions& o) { o.config = &add.group(); },
    .run = help,
}};

}  // namespace
}  // namespace cli
