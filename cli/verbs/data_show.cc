// kd data show: the first images with their labels.
#include "cli/data_options.h"
#include "cli/errors.h"
#include "cli/inline_picture.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"
#include "cli/write_file.h"

namespace cli {
namespace {

struct ShowOptions : DataVerb {
  std::string out = "";  // a .png file; "": only on a terminal that can show it
};

int show(Session& session, const ShowOptions& options) {
  const auto& config = session.config();
  const InlineImages terminal = inline_images();
  if (options.out.empty() && terminal == InlineImages::none) {
    throw UsageError("this terminal shows no images: name a file with --out=batch.png");
  }
  const kd::engine::Api& api = load_engine();
  api.start(options.engine);
  const kd::inspect::Picture picture = api.data_show(config, options.data);
  if (!options.out.empty()) {
    write_file(options.out, picture.png);
    print(options.out + ": " + std::to_string(picture.width) + " x " +
          std::to_string(picture.height) + " pixels\n");
  }
  print(inline_text(picture, terminal));
  return kFine;
}

const AddVerb<ShowOptions> verb = {{
    .name = "data show",
    .place = 30,
    .summary = "Draw the first images with their labels",
    .help = R"(
A grid of the first images, each above its label. A terminal that can (kitty,
iTerm2, WezTerm, Ghostty, Konsole, VS Code; others in coarse blocks) shows it.

Examples:
  kd data show --cfg=mnist_autoencoder -n 16 --out=batch.png
  kd data show --cfg=my_config.cc --key=depth --label=name)",
    .explains_config = true,
    .options =
        [](Options& add, ShowOptions& o) {
          add_data_flags(add, o);
          add.value("-n,--n", o.data.n, "N", "How many")->capture_default_str()->check(at_least(1));
          add.value("--out", o.out, "FILE", "The picture as a PNG file", config_files);
          add.value("--key", o.data.key, "NAME",
                    "The element with the images; else the first that has");
          add.value("--label", o.data.label, "NAME",
                    "The element below them; else label or labels");
        },
    .run = show,
}};

}  // namespace
}  // namespace cli
