// kd config fields: the fields of a type, or all registered names. kd config help: the fields of
// the config at hand.
#include "cli/commands.h"
#include "cli/config_fields.h"
#include "cli/program.h"
#include "cli/symbols.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "konfig/docs.h"

namespace cli {
namespace {

using konfig::Symbol;

void print_registry() {
  const char* separator = "";
  for (auto& group : symbol_groups()) {
    Table table;
    for (auto* symbol : group.symbols) {
      const auto doc = symbol->type ? konfig::type_doc(*symbol->type) : std::string_view();
      table.add({konfig::shorten_qualname(symbol->qualname), std::string(doc)});
    }
    print(separator + ink_out(Ink::bold, group.name) + "\n" + table.text());
    separator = "\n";
  }
}

void print_type(const Symbol& symbol) {
  print(ink_out(Ink::bold, konfig::shorten_qualname(symbol.qualname)) + "\n");
  Table facts;
  facts.add({"name", symbol.qualname});
  if (symbol.type) facts.add({"C++", std::string(symbol.type->name)});
  if (!symbol.interface.empty()) facts.add({"kind", short_name(symbol.interface)});
  print(facts.text());
  if (!symbol.type) {
    if (symbol.constant) print("\n  A constant: " + flat_text(*symbol.constant) + "\n");
    return;
  }
  if (auto doc = konfig::type_doc(*symbol.type); !doc.empty()) {
    print("\n  " + std::string(doc) + "\n");
  }
  Table table;
  table.add({"FIELD", "TYPE", "DEFAULT", "DOC"});
  for (auto& field : symbol.type->fields) {
    table.add({std::string(field.name), type_text(field.type()), default_text(*symbol.type, field),
               std::string(konfig::field_doc(*symbol.type, field.name))});
  }
  print("\n" + (symbol.type->fields.empty() ? "  No fields.\n" : table.text(/*heading=*/true)));
}

}  // namespace

int fields(Session& session, const FieldsOptions& options) {
  if (session.has_config()) session.config();  // a config file brings its own types
  if (options.type.empty()) {
    print_registry();
  } else {
    print_type(find_type(options.type));
  }
  return kFine;
}

int help_config(Session& session) {
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
  return kFine;
}

}  // namespace cli
