// kd config resolve: what the config builds, every default filled in.
#include "cli/output.h"
#include "cli/resolved.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct ResolveOptions {
  Notation format = Notation::py;
  std::string path = "";  // a part only
};

int resolve(Session& session, const ResolveOptions& options) {
  const konfig::Value part = part_of(build_tree(session.config()), options.path);
  std::string text = formatted(part, options.format);
  // Objects, not a config: without the frame.
  constexpr std::string_view kOpen = "<ConfigDict[", kClose = "]>\n";
  if (text.starts_with(kOpen) && text.ends_with(kClose)) {
    text = text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size()) + "\n";
  }
  const bool for_people = options.format == Notation::py && options.path.empty();
  if (for_people) print(ink_out(Ink::bold, "======== Resolved Config ========") + "\n");
  print(text);
  if (for_people) print("\n" + ink_out(Ink::green, "Successfully resolved config!") + "\n");
  return kFine;
}

const AddVerb<ResolveOptions> verb = {{
    .name = "config resolve",
    .place = 20,
    .summary = "Build the config's objects and print them",
    .help = R"(
Every field is printed with the value it gets: references followed, defaults
filled in. A mistake in the config is reported with its path.

Examples:
  kd config resolve --cfg=mnist_autoencoder
  kd config resolve --cfg=mnist_autoencoder --path=optimizer --format=json)",
    .explains_config = true,
    .help_shows_config = true,
    .options =
        [](Options& add, ResolveOptions& o) {
          add.choice("--format", o.format, "The notation");
          add.value("--path", o.path, "PATH", "Only this part: model.encoder", config_paths);
        },
    .run = resolve,
}};

}  // namespace
}  // namespace cli
