// kd config set: the config with its overrides, as a file.
#include <filesystem>

#include "cli/errors.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_file.h"

namespace cli {
namespace {

struct SetOptions {
  std::string out = "";  // a .json or .yaml file
};

int set(Session& session, const SetOptions& options) {
  const std::filesystem::path file = options.out;
  const std::string extension = file.extension().string();
  const bool yaml = extension == ".yaml" || extension == ".yml";
  if (!yaml && extension != ".json") {
    throw UsageError("--out: expected a file that ends in .json or .yaml, got '" + options.out +
                     "'");
  }
  write_file(file, formatted(session.config(), yaml ? Notation::yaml : Notation::json));
  remark("wrote " + options.out);
  return kFine;
}

const AddVerb<SetOptions> verb = {{
    .name = "config set",
    .place = 40,
    .summary = "Apply overrides and write a file",
    .help = R"(
The file is written aside and renamed: it is there as a whole or not at all.

Examples:
  kd config set --cfg=mnist_autoencoder --cfg.seed=1 --out=run.json
  kd config set --cfg=run.json --cfg.seed=2 --out=run.json)",
    .explains_config = true,
    .help_shows_config = true,
    .options =
        [](Options& add, SetOptions& o) {
          add.value("--out", o.out, "FILE", "The file: .json or .yaml", config_files)->required();
        },
    .run = set,
}};

}  // namespace
}  // namespace cli
