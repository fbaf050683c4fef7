// kd config show: the config as it is after the overrides.
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "konfig/print.h"

namespace cli {
namespace {

// Where the config comes from, as Kauldron prints it.
std::string header(const Session& session) {
  std::string out = ink_out(Ink::bold, "========= Config =========") + "\n";
  out += "Filename: " + session.source() + "\n";
  const konfig::Dict overrides = flags::override_values(session.flag());
  if (overrides.size() > 0) out += "Overrides:\n " + konfig::to_text(overrides) + "\n";
  return out + "\n";
}

}  // namespace

int show(Session& session, const ShowOptions& options) {
  const konfig::Value part = part_of(session.config(), options.path);
  const std::string text = formatted(part, options.format);
  // JSON, YAML and parts are for programs too: nothing but the value.
  if (options.format == "py" && options.path.empty()) print(header(session));
  print(text);
  return kFine;
}

}  // namespace cli
