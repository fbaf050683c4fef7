// Registered names as people write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "konfig/registry.h"

namespace cli {

// By qualified name, shortened name ("optax.adam"), C++ name, or the last part of either. An
// ambiguous or unknown name is a konfig::Error with what it could mean.
const konfig::Symbol& find_type(std::string_view name);

// The registry by interface, sorted; what implements none is under "Functions", "Constants" and
// "Types".
struct SymbolGroup {
  std::string name;
  std::vector<const konfig::Symbol*> symbols;
};
std::vector<SymbolGroup> symbol_groups();

}  // namespace cli
