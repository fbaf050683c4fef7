#include "cli/try_command.h"

#include <memory>
#include <set>

#include "cli/command_line.h"
#include "cli/errors.h"
#include "cli/patch.h"
#include "cli/reference_flags.h"
#include "konfig/error.h"

namespace cli {
namespace {

using konfig::Error;
using konfig::ErrorKind;

void try_patch(const flags::ConfigFlag& patch, const konfig::ConfigDict& config) {
  if (patch.overrides.empty()) return;
  std::vector<std::string> none;
  konfig::ConfigDict patched = config.copy();
  apply(patch_of({}, patch, none), patched, {});
}

void try_words(std::vector<std::string> words, const konfig::ConfigDict& config) {
  take_reference_flags(words);
  try {
    try_patch(take_flag(words, "patch", "patch"), config);
    CommandLine line;
    line.parse(words, /*has_config=*/true);
  } catch (const CLI::Success&) {  // --help
  } catch (const CLI::ParseError& e) {
    throw Error(ErrorKind::value, text_of(e));
  } catch (const UsageError& e) {
    throw Error(ErrorKind::value, e.what());
  }
}

}  // namespace

CommandTrier command_trier() {
  // Ten thousand units differ in their configs, hardly ever in these words.
  auto tried = std::make_shared<std::set<std::vector<std::string>>>();
  return [tried](const std::vector<std::string>& argv, const konfig::ConfigDict& config) {
    if (argv.size() < 2 || (argv[1] != "train" && argv[1] != "eval")) return;
    std::vector<std::string> words;
    for (auto word = argv.begin() + 1; word != argv.end(); ++word) {
      if (!word->starts_with("--cfg=") && !word->starts_with("--cfg.")) words.push_back(*word);
    }
    if (tried->contains(words)) return;
    try_words(words, config);
    tried->insert(std::move(words));
  };
}

}  // namespace cli
