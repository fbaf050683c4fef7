// The types and functions that the golden cases name: the module `toys` of
// konfig/generate.py and a few of Python's builtins, registered as untyped symbols.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "konfig/registry.h"

namespace golden {

// Every object of the golden tests: what it was made from, kept for showing.
struct Toy {
  std::string qualname;
  std::vector<konfig::Value> args = {};
  std::vector<std::pair<std::string, konfig::Value>> kwargs = {};
  bool record = false;  // remembers arguments
  bool fields = false;  // a dataclass: kwargs are its fields
};

konfig::Value make_object(Toy toy);
// The toy behind a value, or nullptr.
const Toy* toy_of(const konfig::Value& value);

// "$type" or "$function": what Python calls the symbol of that name.
std::string_view symbol_tag(std::string_view qualname);

// left + right with Python's meaning.
konfig::Value python_add(const konfig::Value& left, const konfig::Value& right);

// Registers what konfig itself does not have.
void register_toys();

}  // namespace golden
