// kd config get: one value, for scripts. kd config list: the names --cfg= knows.
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/text.h"

namespace cli {

int get(Session& session, const GetOptions& options) {
  print(raw_text(part_of(session.config(), options.path)) + "\n");
  return kFine;
}

int list() {
  for (auto& name : loader::names()) print(name + "\n");
  return kFine;
}

}  // namespace cli
