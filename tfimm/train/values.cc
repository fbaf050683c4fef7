// Values by the declared type of their field.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/join.h"
#include "base/shape_text.h"
#include "konfig/literal.h"
#include "konfig/load.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"
#include "konfig/sequence.h"
#include "konfig/to_value.h"
#include "tfimm/train/values_impl.h"

namespace tfimm::train::detail {

using konfig::BigInt;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Tuple;
using konfig::Value;

namespace {

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const auto from = text.find_first_not_of(kSpace);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) + 1 - from);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Without the underscores that Python allows between digits; nothing: one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

[[noreturn]] void fail_text(const Field& field, const std::string& text, const std::string& more) {
  throw Error(ErrorKind::value,
              "expected " + words(field) + ", got '" + konfig::shorten(text, 60) + "'" + more);
}

Value read_tuple(const Field& field, const std::string& text) {
  Value value;
  try {
    value = konfig::parse_literal(text);
  } catch (const Error&) {
    fail_text(field, text, "; a tuple looks like (1, 2), (1,) or ()");
  }
  if (!value.is<Tuple>()) {
    fail_text(field, text, "; a tuple looks like (1, 2), (1,) or ()");
  }
  return value;
}

// Python's repr(), on one line.
std::string python_repr(const Value& value) {
  if (auto* list = value.get_if<List>()) return "[" + base::join(*list, ", ", python_repr) + "]";
  if (auto* tuple = value.get_if<Tuple>()) return base::tuple_text(*tuple, python_repr);
  if (value.is<konfig::Dict>()) return value.repr();
  return konfig::scalar_text(value);
}

// Through the C++ type: ranges of numbers, types and number of elements.
Value through(const konfig::Type& type, const Value& value) {
  auto room = konfig::make_object(type);
  konfig::load(type, room.get(), value);
  return konfig::to_value(type, room.get());
}

// What a file and a command line can say.
void check_items(const Value& tuple) {
  for (const Value& item : tuple.as<Tuple>()) {
    if (item.is<Tuple>()) {
      check_items(item);
    } else if (!item.is_none() && !item.is<bool>() && !item.is<std::int64_t>() &&
               !item.is<BigInt>() && !item.is<double>() && !item.is<std::string>()) {
      throw Error(ErrorKind::type, "a tuple holds numbers, booleans, text, None and tuples, not " +
                                       konfig::describe(item));
    }
  }
}

Value fit_loosely(const Field& field, const Value& value) {
  switch (field.type) {
    case FieldType::integer:
      if (value.is<std::int64_t>() || value.is<BigInt>()) return value;
      break;
    case FieldType::floating:
      if (auto* whole = value.get_if<std::int64_t>()) return static_cast<double>(*whole);
      if (auto* big = value.get_if<BigInt>()) return *read_float(big->digits);
      if (value.is<double>()) return value;
      break;
    case FieldType::boolean:
      if (value.is<bool>()) return value;
      break;
    case FieldType::text:
      if (value.is<std::string>()) return value;
      if (auto* path = value.get_if<std::filesystem::path>()) return path->string();
      break;
    case FieldType::tuple:
      if (value.is<Tuple>() || value.is<List>()) {
        Value tuple = as_tuple(value);
        check_items(tuple);
        const auto items = items_of(field);
        if (items && tuple.as<Tuple>().size() != *items) fail_expected(field, tuple);
        return tuple;
      }
      break;
    case FieldType::any:
      if (class_of(value)) return value;
      break;
    case FieldType::config:
      if (auto* fields = value.get_if<konfig::Dict>()) return make_object(field.config, *fields);
      if (auto cls = class_of(value); cls && cls->name == field.config->name) return value;
      break;
  }
  fail_expected(field, value);
}

}  // namespace

void fail_expected(const Field& field, const Value& value) {
  const ConfigClassPtr cls = class_of(value);
  throw Error(ErrorKind::type, "expected " + words(field) + ", got " +
                                   (cls ? "a " + cls->name : konfig::describe(value)));
}

Value as_tuple(const Value& value) {
  const konfig::Sequence* items = konfig::as_sequence(value);
  if (!items) return value;
  std::vector<Value> out;
  out.reserve(items->size());
  for (const Value& item : *items) out.push_back(as_tuple(item));
  return Tuple(std::move(out));
}

Value fit(const Field& field, const Value& value) {
  if (field.open) return value;
  if (value.is_none()) {
    if (field.nullable) return value;
    fail_expected(field, value);
  }
  Value loose = fit_loosely(field, value);
  if (!field.exact || field.type == FieldType::any || field.type == FieldType::config) return loose;
  const Value exact = through(*field.exact, loose);
  return field.type == FieldType::tuple ? as_tuple(exact) : exact;
}

std::optional<Value> read_int(std::string_view text) {
  auto digits = without_underscores(stripped(text));
  if (!digits || digits->empty()) return std::nullopt;
  const bool has_sign = digits->front() == '-' || digits->front() == '+';
  const std::string_view rest = std::string_view(*digits).substr(has_sign ? 1 : 0);
  if (rest.empty() || !std::all_of(rest.begin(), rest.end(), is_digit)) return std::nullopt;
  const bool negative = digits->front() == '-';
  std::string plain(rest.substr(std::min(rest.find_first_not_of('0'), rest.size() - 1)));
  if (negative && plain != "0") plain.insert(0, 1, '-');
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  if (error == std::errc()) return Value(number);
  return Value(BigInt{plain});
}

std::optional<double> read_float(std::string_view text) {
  auto plain = without_underscores(stripped(text));
  if (!plain || plain->empty()) return std::nullopt;
  std::string_view rest = *plain;
  const bool negative = rest.front() == '-';
  if (negative || rest.front() == '+') rest.remove_prefix(1);
  const std::string word = lower(rest);
  const double sign = negative ? -1 : 1;
  if (word == "inf" || word == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (rest.empty() || !(is_digit(rest.front()) || rest.front() == '.')) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (end != rest.data() + rest.size()) return std::nullopt;
  // Too large or too small to hold: what strtod makes of it.
  if (error != std::errc()) number = std::strtod(std::string(rest).c_str(), nullptr);
  return sign * number;
}

std::optional<bool> read_bool(std::string_view text) {
  const std::string word = lower(text);
  for (const char* yes : {"yes", "true", "t", "y", "1"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"no", "false", "f", "n", "0"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

Value read_text(const Field& field, const std::string& text) {
  if (field.nullable && !field.open && field.type != FieldType::text && text == "None") return {};
  Field typed = field;
  typed.open = false;
  switch (field.type) {
    case FieldType::integer:
      if (auto number = read_int(text)) return fit(typed, *number);
      fail_text(field, text, "");
    case FieldType::floating:
      if (auto number = read_float(text)) return fit(typed, *number);
      fail_text(field, text, "");
    case FieldType::boolean:
      if (auto boolean = read_bool(text)) return *boolean;
      fail_text(field, text, "; write true or false");
    case FieldType::text:
      if (!konfig::is_utf8(text)) fail_text(field, konfig::repr_text(text), "; it is not UTF-8");
      return text;
    case FieldType::tuple:
      return fit(typed, read_tuple(field, text));
    default:
      fail_text(field, text, "");
  }
}

FieldType type_of_value(const Value& value) {
  if (value.is<bool>()) return FieldType::boolean;
  if (value.is<std::int64_t>() || value.is<BigInt>()) return FieldType::integer;
  if (value.is<double>()) return FieldType::floating;
  if (value.is<Tuple>() || value.is<List>()) return FieldType::tuple;
  return FieldType::text;
}

std::string str(const Value& value) {
  auto* text = value.get_if<std::string>();
  return text ? *text : python_repr(value);
}

}  // namespace tfimm::train::detail
