// kd completion: a script that teaches a shell to complete.
#include "cli/completion.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct CompletionOptions {
  std::optional<Shell> shell = {};  // required
};

int completion(Session&, const CompletionOptions& options) {
  print(completion_script(*options.shell));
  return kFine;
}

const AddVerb<CompletionOptions> verb = {{
    .name = "completion",
    .place = 120,
    .summary = "Print a completion script for a shell",
    .help = R"(
Completes commands, flags, config names and the paths of --cfg.PATH.

Examples:
  echo 'source <(kd completion bash)' >> ~/.bashrc
  echo 'source <(kd completion zsh)' >> ~/.zshrc       # after compinit
  kd completion fish > ~/.config/fish/completions/kd.fish)",
    .options = [](Options& add,
                  CompletionOptions& o) { add.choice("SHELL", o.shell, "The shell")->required(); },
    .run = completion,
}};

}  // namespace
}  // namespace cli
