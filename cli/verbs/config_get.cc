// kd config get: one value, for scripts.
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct GetOptions {
  std::string path = "";
};

int get(Session& session, const GetOptions& options) {
  print(raw_text(part_of(session.config(), options.path)) + "\n");
  return kFine;
}

const AddVerb<GetOptions> verb = {{
    .name = "config get",
    .place = 50,
    .summary = "Print one value",
    .help = R"(
Text is printed as it is, anything else as JSON on one line.

Examples:
  kd config get seed --cfg=mnist_autoencoder
  kd config get 'train_ds.transforms[0].keep' --cfg=mnist_autoencoder)",
    .explains_config = true,
    .help_shows_config = true,
    .options =
        [](Options& add, GetOptions& o) {
          add.value("PATH", o.path, "PATH", "The place: optimizer.learning_rate", config_paths)
              ->required();
        },
    .run = get,
}};

}  // namespace
}  // namespace cli
