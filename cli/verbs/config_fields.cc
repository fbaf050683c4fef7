// kd config fields: the fields of a type, or all registered names.
#include "cli/config_fields.h"
#include "base/join.h"
#include "cli/symbols.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "konfig/docs.h"
#include "tfimm/train/registry.h"

namespace cli {
namespace {

using konfig::Symbol;

struct FieldsOptions {
  std::string type = "";  // "": all registered names
};

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

// The doc of a field. One that chooses a class has the registered names, as `kd run --help` has.
std::string doc_of(const Symbol& symbol, const konfig::Field& field) {
  std::string doc(konfig::field_doc(*symbol.type, field.name));
  if (!symbol.qualname.starts_with("tfimm.train:")) return doc;
  const auto cls = tfimm::train::describe(*symbol.type);
  const auto* x = cls->chosen_by(*cls->find(field.name));
  if (!x) return doc;
  const auto names = tfimm::train::class_names(x->name);
  return names.empty() ? doc : "one of " + base::join(names, ", ");
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
               doc_of(symbol, field)});
  }
  print("\n" + (symbol.type->fields.empty() ? "  No fields.\n" : table.text(/*heading=*/true)));
}

int fields(Session& session, const FieldsOptions& options) {
  if (session.has_config()) session.config();  // a config file brings its own types
  if (options.type.empty()) {
    print_registry();
  } else {
    print_type(find_type(options.type));
  }
  return kFine;
}

const AddVerb<FieldsOptions> verb = {{
    .name = "config fields",
    .place = 60,
    .summary = "List registered types, or the fields of one",
    .help = R"(
TYPE is a registered name, with or without what comes before its last part, or
the name of the C++ type. With --cfg=FILE.cc the types of that file are known too.

Examples:
  kd config fields
  kd config fields optax.adam
  kd config fields Trainer)",
    .help_shows_config = true,
    .options =
        [](Options& add, FieldsOptions& o) {
          add.value("TYPE", o.type, "TYPE", "A name: optax.adam, Trainer", registered_types);
        },
    .run = fields,
}};

}  // namespace
}  // namespace cli
