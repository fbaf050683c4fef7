#include "cli/config_help.h"

#include "cli/config_fields.h"
#include "cli/terminal.h"
#include "cli/text.h"

namespace cli {

void print_config_help(Session& session) {
  const konfig::ConfigDict& cfg = session.config();
  print("Fields of " + session.source() + "; each can be set with --cfg.PATH=VALUE. " +
        "(Values in parentheses) are defaults.\n\n");
  Table table;
  table.add({"PATH", "TYPE", "VALUE", "DOC"});
  for (auto& field : config_fields(cfg)) {
    const std::string value =
        field.value.empty() || field.is_set ? field.value : "(" + field.value + ")";
    table.add({field.path, field.type_text, value, std::string(field.doc)});
  }
  print(table.text(/*heading=*/true));
}

}  // namespace cli
