// kd config set: the config with its overrides, as a file.
#include <filesystem>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/write_file.h"

namespace cli {

int set(Session& session, const SetOptions& options) {
  const std::filesystem::path file = options.out;
  const std::string extension = file.extension().string();
  const bool yaml = extension == ".yaml" || extension == ".yml";
  if (!yaml && extension != ".json") {
    throw UsageError("--out: expected a file that ends in .json or .yaml, got '" + options.out +
                     "'");
  }
  write_file(file, formatted(session.config(), yaml ? "yaml" : "json"));
  remark("wrote " + options.out);
  return kFine;
}

}  // namespace cli
