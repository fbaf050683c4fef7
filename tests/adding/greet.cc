// kd greet: a verb to start from.
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct GreetOptions {
  std::string name = "world";
};

int greet(Session&, const GreetOptions& options) {
  print("Hello " + options.name + "\n");
  return kFine;
}

const AddVerb<GreetOptions> verb = {{
    .name = "greet",
    .summary = "Say hello",
    .options = [](Options& add, GreetOptions& o) { add.value("--name", o.name, "NAME", "Whom"); },
    .run = greet,
}};

}  // namespace
}  // namespace cli
