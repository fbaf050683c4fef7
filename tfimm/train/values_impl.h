// Values by the declared type of their field, wherever they come from.
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"
#include "tfimm/train/config_class.h"

namespace tfimm::train::detail {

// A value of a program: its type must fit. Lists become tuples, whole numbers floats. An Error says
// what was expected; its place is up to the caller.
konfig::Value fit(const Field& field, const konfig::Value& value);
// A text of the command line.
konfig::Value read_text(const Field& field, const std::string& text);

// Texts as Python's int(), float() and the reference's bool read them; nothing: they are none.
std::optional<konfig::Value> read_int(std::string_view text);
std::optional<double> read_float(std::string_view text);
std::optional<bool> read_bool(std::string_view text);

// What a value that no class declares would be declared as.
FieldType type_of_value(const konfig::Value& value);
// Lists, and lists inside them, as tuples.
konfig::Value as_tuple(const konfig::Value& value);
// Python's str(): text as it is, anything else in Python's notation.
std::string str(const konfig::Value& value);

[[noreturn]] void fail_expected(const Field& field, const konfig::Value& value);

}  // namespace tfimm::train::detail
