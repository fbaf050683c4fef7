// kd config show: the config as it is after the overrides.
#include <fmt/format.h>

#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "konfig/print.h"

namespace cli {
namespace {

struct ShowOptions {
  Notation format = Notation::py;
  std::string path = "";  // a part only
};

// Where the config comes from, as Kauldron prints it.
std::string header(Session& session) {
  const konfig::Dict& patches = session.patches();
  const std::string_view title = patches.size() == 0 ? "Config" : "Config (patched)";
  std::string out = ink_out(Ink::bold, fmt::format("========= {} =========", title)) + "\n";
  out += "Filename: " + session.source() + "\n";
  const konfig::Dict overrides = flags::override_values(session.flag());
  if (overrides.size() > 0) out += "Overrides:\n " + konfig::to_text(overrides) + "\n";
  if (patches.size() > 0) out += "Patches:\n " + konfig::to_text(patches) + "\n";
  return out + "\n";
}

int show(Session& session, const ShowOptions& options) {
  const konfig::Value part = part_of(session.config(), options.path);
  const std::string text = formatted(part, options.format);
  // JSON, YAML and parts are for programs too: nothing but the value.
  if (options.format == Notation::py && options.path.empty()) print(header(session));
  print(text);
  return kFine;
}

const AddVerb<ShowOptions> verb = {{
    .name = "config show",
    .place = 10,
    .summary = "Print a config",
    .help = R"(
Examples:
  kd config show --cfg=mnist_autoencoder
  kd config show --cfg=mnist_autoencoder --format=json | jq .model
  kd config show --cfg=my_config.cc --path=model.encoder)",
    .explains_config = true,
    .help_shows_config = true,
    .options =
        [](Options& add, ShowOptions& o) {
          add.choice("--format", o.format, "The notation");
          add.value("--path", o.path, "PATH", "Only this part: model.encoder", config_paths);
        },
    .run = show,
}};

}  // namespace
}  // namespace cli
