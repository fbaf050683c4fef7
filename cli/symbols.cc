#include "cli/symbols.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/join.h"
#include "cli/text.h"
#include "konfig/suggest.h"
#include "konfig/type_registry.h"

namespace cli {
namespace {

using konfig::Symbol;

std::string last_part(std::string_view name) {
  return std::string(name.substr(name.find_last_of(".:") + 1));
}

// Exact names first: "adam" may be the end of several.
std::vector<const Symbol*> matches(std::string_view name) {
  std::vector<const Symbol*> out;
  auto collect = [&](auto&& is_match) {
    if (!out.empty()) return;
    for (auto* symbol : konfig::all_symbols()) {
      if (is_match(*symbol)) out.push_back(symbol);
    }
  };
  collect([&](const Symbol& s) { return s.qualname == name; });
  // What is called so comes before what is of that type: a class has the type of its config.
  collect([&](const Symbol& s) { return konfig::shorten_qualname(s.qualname) == name; });
  collect([&](const Symbol& s) { return last_part(s.qualname) == name; });
  collect([&](const Symbol& s) { return s.type && s.type->name == name; });
  collect([&](const Symbol& s) { return s.type && short_name(s.type->name) == name; });
  if (out.empty() && name.find_first_of(".:") != name.npos) {
    try {
      if (auto* symbol = konfig::find_symbol(konfig::expand_qualname(name))) out.push_back(symbol);
    } catch (const konfig::Error&) {
      // No well-formed name: reported as unknown.
    }
  }
  return out;
}

[[noreturn]] void fail_unknown(std::string_view name) {
  std::vector<std::string> known;
  for (auto* symbol : konfig::all_symbols()) {
    known.push_back(konfig::shorten_qualname(symbol->qualname));
    known.push_back(last_part(symbol->qualname));
    if (symbol->type) known.push_back(short_name(symbol->type->name));
  }
  throw konfig::Error(konfig::ErrorKind::key, "no type is registered as '" + std::string(name) +
                                                  "'" + konfig::did_you_mean(name, known) +
                                                  " (`kd config fields` lists all)");
}

std::string group_of(const Symbol& symbol) {
  if (!symbol.type) return symbol.construct ? "Functions" : "Constants";
  // The table of a function is that of its arguments.
  return konfig::qualname_of(*symbol.type) == symbol.qualname ? "Types" : "Functions";
}

}  // namespace

const Symbol& find_type(std::string_view name) {
  const auto found = matches(name);
  if (found.empty()) fail_unknown(name);
  if (found.size() == 1) return *found[0];
  const std::string all = base::join(
      found, ", ", [](auto* symbol) { return konfig::shorten_qualname(symbol->qualname); });
  throw konfig::Error(konfig::ErrorKind::key,
                      "'" + std::string(name) + "' is short for several names: " + all);
}

std::vector<SymbolGroup> symbol_groups() {
  const auto symbols = konfig::all_symbols();
  std::set<std::string> interfaces;
  for (auto* symbol : symbols) {
    if (!symbol->interface.empty()) interfaces.insert(symbol->interface);
  }
  std::vector<SymbolGroup> out;
  for (auto& interface : interfaces) {
    SymbolGroup group{short_name(interface), {}};
    for (auto* symbol : symbols) {
      if (symbol->interface == interface ||
          (symbol->type && konfig::is_component(interface, *symbol->type))) {
        group.symbols.push_back(symbol);
      }
    }
    out.push_back(std::move(group));
  }
  std::map<std::string, SymbolGroup> others;
  for (auto* symbol : symbols) {
    if (!symbol->interface.empty()) continue;
    auto& group = others[group_of(*symbol)];
    group.symbols.push_back(symbol);
  }
  for (const char* name : {"Types", "Functions", "Constants"}) {
    if (auto it = others.find(name); it != others.end()) {
      out.push_back({name, std::move(it->second.symbols)});
    }
  }
  return out;
}

}  // namespace cli
