// kd config resolve: what the config builds, every default filled in.
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/resolved.h"
#include "cli/terminal.h"

namespace cli {

int resolve(Session& session, const ShowOptions& options) {
  const konfig::Value part = part_of(build_tree(session.config()), options.path);
  std::string text = formatted(part, options.format);
  // Objects, not a config: without the frame.
  constexpr std::string_view kOpen = "<ConfigDict[", kClose = "]>\n";
  if (text.starts_with(kOpen) && text.ends_with(kClose)) {
    text = text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size()) + "\n";
  }
  const bool for_people = options.format == "py" && options.path.empty();
  if (for_people) print(ink_out(Ink::bold, "======== Resolved Config ========") + "\n");
  print(text);
  if (for_people) print("\n" + ink_out(Ink::green, "Successfully resolved config!") + "\n");
  return kFine;
}

}  // namespace cli
