#include "cli/without_effect.h"

#include <string>
#include <vector>

#include "base/join.h"
#include "cli/config_fields.h"
#include "cli/terminal.h"

namespace cli {

void note_without_effect(const konfig::ConfigDict& cfg) {
  constexpr std::string_view kMark = "no effect";  // "no effect: why", "no effect here: why"
  std::vector<std::string> found;
  for (const ConfigField& field : config_fields(cfg)) {
    if (!field.doc.starts_with(kMark) || field.is_default) continue;
    const std::size_t colon = field.doc.find(": ");
    if (colon == field.doc.npos) continue;
    found.push_back("cfg." + field.path + " (" + std::string(field.doc.substr(colon + 2)) + ")");
  }
  if (!found.empty()) remark("without effect here: " + base::join(found, ", "));
}

}  // namespace cli
