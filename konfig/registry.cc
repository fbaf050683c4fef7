// Symbols, aliases and default values by qualified name.
#include "konfig/registry.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "konfig/absent.h"
#include "konfig/node.h"
#include "konfig/print.h"
#include "konfig/suggest.h"

namespace konfig {
namespace {

// Registration happens in static initialisers and while config files are loaded; never torn down,
// since objects from loaded files may outlive main.
struct Tables {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Symbol>, std::less<>> symbols;
  std::vector<std::unique_ptr<Symbol>> replaced;  // callers may still hold them
  std::map<std::string, std::string, std::less<>> aliases = {
      {"flax.linen", "nn"},    {"gemma.gm", "gm"}, {"kauldron.kd", "kd"},
      {"kauldron.kxm", "kxm"}, {"numpy", "np"},    {"tensorflow_datasets", "tfds"},
      {"tensorflow", "tf"},
  };
  std::map<std::string, ConfigDict, std::less<>> defaults;
  std::map<std::string, std::string, std::less<>> absent;  // modules, and what to write instead
};
Tables& tables() {
  static auto* tables = new Tables;
  return *tables;
}

// "a.b.C" as "a.b:C".
std::string with_colon(std::string_view qualname) {
  auto [module, name] = split_qualname(qualname);
  return module + ":" + name;
}

// True when `text` is `prefix` or goes on with '.' or ':'.
bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) &&
         (text.size() == prefix.size() || text[prefix.size()] == '.' || text[prefix.size()] == ':');
}

}  // namespace

std::pair<std::string, std::string> split_qualname(std::string_view qualname) {
  auto colon = qualname.find(':');
  auto cut = colon == qualname.npos ? qualname.rfind('.') : colon;
  bool several = colon != qualname.npos && qualname.find(':', colon + 1) != qualname.npos;
  if (several || cut == qualname.npos || cut == 0 || cut + 1 == qualname.size()) {
    throw Error(
        ErrorKind::value,
        repr(Value(qualname)) + ": a qualified name looks like 'module.path:Name', with one colon");
  }
  return {std::string(qualname.substr(0, cut)), std::string(qualname.substr(cut + 1))};
}

void register_symbol(Symbol symbol) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  auto& slot = t.symbols[with_colon(symbol.qualname)];
  if (slot) t.replaced.push_back(std::move(slot));
  slot = std::make_unique<Symbol>(std::move(symbol));
}

const Symbol* find_symbol(std::string_view qualname) {
  auto& t = tables();
  auto name = with_colon(qualname);
  std::lock_guard lock(t.mutex);
  auto it = t.symbols.find(name);
  // What the reference lacks is named after its namespace, kd.data:Npz; a config that imports the
  // reference's kd calls it kauldron.kd:data.Npz.
  if (constexpr std::string_view kd = "kauldron.kd:";
      it == t.symbols.end() && name.starts_with(kd)) {
    it = t.symbols.find(with_colon("kd." + name.substr(kd.size())));
  }
  // `import jax` and jax.nn.gelu make jax:nn.gelu of jax.nn:gelu.
  for (std::size_t colon = name.find(':'), dot = name.find('.', colon);
       it == t.symbols.end() && dot != name.npos; dot = name.find('.', colon + 1)) {
    std::swap(name[colon], name[dot]);
    colon = dot;
    it = t.symbols.find(name);
  }
  return it == t.symbols.end() ? nullptr : it->second.get();
}

bool detail::register_absent(std::string module, std::string advice) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  t.absent.emplace(std::move(module), std::move(advice));
  return true;
}

namespace {
// "" where no module that is known to be absent has the name, wherever its import began.
std::string absent_advice(std::string_view qualname) {
  std::string name(qualname);
  std::ranges::replace(name, ':', '.');
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  for (auto& [module, advice] : t.absent) {
    if (has_prefix(name, module)) return advice;
  }
  return "";
}
}  // namespace

const Symbol& get_symbol(std::string_view qualname) {
  if (auto* symbol = find_symbol(qualname)) return *symbol;
  if (const std::string advice = absent_advice(qualname); !advice.empty()) {
    throw Error(ErrorKind::unsupported, std::string(qualname) + ": " + advice);
  }
  std::vector<std::string> names;
  for (auto* s : all_symbols()) names.push_back(s->qualname);
  throw Error(ErrorKind::key, "nothing is registered under the name '" + std::string(qualname) +
                                  "'" + did_you_mean(qualname, names));
}

std::vector<const Symbol*> all_symbols() {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  std::vector<const Symbol*> out;
  for (auto& [name, symbol] : t.symbols) out.push_back(symbol.get());
  return out;
}

// ---- Aliases ------------------------------------------------------------------------------------

void register_alias(std::string module, std::string alias) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  t.aliases[std::move(module)] = std::move(alias);
}

std::string shorten_qualname(std::string_view qualname) {
  auto& t = tables();
  std::string out(qualname);
  {
    std::lock_guard lock(t.mutex);
    for (auto& [module, alias] : t.aliases) {
      if (has_prefix(qualname, module)) {
        out = alias + std::string(qualname.substr(module.size()));
        break;
      }
    }
  }
  std::replace(out.begin(), out.end(), ':', '.');
  return out;
}

std::string expand_qualname(std::string_view qualname) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  for (auto& [module, alias] : t.aliases) {
    if (!has_prefix(qualname, alias)) continue;
    // The alias names a module: what follows is an attribute, whatever stood between them.
    std::string rest(qualname.substr(alias.size()));
    std::replace(rest.begin(), rest.end(), ':', '.');
    if (!rest.empty()) rest[0] = ':';
    return module + rest;
  }
  return std::string(qualname);
}

// ---- Defaults -----------------------------------------------------------------------------------

void register_default_values(const ConfigDict& node) {
  if (!node.is_call()) {
    throw Error(ErrorKind::key, "default values are a call node; this has no __qualname__: " +
                                    shorten(repr(Value(node)), 80));
  }
  auto name = node.qualname();
  if (auto* old = find_default_values(name)) {
    if (*old == node) return;
    throw Error(ErrorKind::value, "'" + name + "' already has other default values: " +
                                      shorten(repr(Value(*old)), 200));
  }
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  t.defaults.emplace(name, node.copy());
}

void clear_default_values(std::string_view qualname) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  if (auto it = t.defaults.find(qualname); it != t.defaults.end()) t.defaults.erase(it);
}

const ConfigDict* find_default_values(std::string_view qualname) {
  auto& t = tables();
  std::lock_guard lock(t.mutex);
  auto it = t.defaults.find(qualname);
  return it == t.defaults.end() ? nullptr : &it->second;
}

}  // namespace konfig
