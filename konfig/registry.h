// The table of everything a config can name: types, functions and constants by qualified name.
//
// KONFIG_COMPONENT and friends (konfig/register.h) fill it for C++ types; this header is the
// untyped side that `resolve`, the printer and the command line use.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "konfig/value.h"

namespace konfig {

// The arguments of a call node after its children are resolved.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keyword;
};

struct Symbol {
  std::string qualname;                                   // "optax:adam"
  std::function<Value(const Arguments&)> construct = {};  // empty: not callable
  std::optional<Value> constant = {};        // what `__const__` gives; default: its name
  const Type* type = nullptr;                // of the arguments: fields, defaults, help
  std::string interface = {};                // "kd::Loss"; "" when it implements none
  std::vector<std::string> raw_fields = {};  // handed over as config, not resolved
  std::function<void(Value&, const ConfigDict&)> post_resolve = {};  // sees the node it came from
};

// Registering one name twice replaces the entry: a reloaded config file brings its types again.
void register_symbol(Symbol symbol);
// nullptr when unknown. "a.b.C" finds "a.b:C".
const Symbol* find_symbol(std::string_view qualname);
// Like find_symbol; an unknown name is an Error with the nearest registered one.
const Symbol& get_symbol(std::string_view qualname);
std::vector<const Symbol*> all_symbols();  // sorted by name

// "module:Attr" split at the colon, or at the last dot. Anything else is an Error.
std::pair<std::string, std::string> split_qualname(std::string_view qualname);

// ---- Aliases: short names in printing and in `py::` values ("flax.linen" -> "nn").
void register_alias(std::string module, std::string alias);
std::string shorten_qualname(std::string_view qualname);  // "nn.Dense"
std::string expand_qualname(std::string_view qualname);   // "kd.data:X" -> "kauldron.kd:data.X"

// ---- Defaults: every new node with this qualname starts as a copy of `node` and the fields given
// are merged into it. Registering something different a second time is an Error.
void register_default_values(const ConfigDict& node);
void clear_default_values(std::string_view qualname);
// The registered defaults, or nullptr.
const ConfigDict* find_default_values(std::string_view qualname);

}  // namespace konfig
