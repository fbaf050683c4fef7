// ConfigClass: what is known of a config class, its fields with their types and defaults.
//
//   const ConfigClass& outer = *describe<ExperimentConfig>();
//   for (const Field& f : outer.fields) std::cout << f.name << ": " << type_name(f) << "\n";
//
// Conversions, parsing and help are ordinary code over these descriptions. A struct describes
// itself; `make_config_class` makes one at run time, of which objects hold their fields in a Dict.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/key_index.h"
#include "konfig/type.h"
#include "konfig/value.h"
#include "tfimm/train/any.h"

namespace tfimm::train {

enum class FieldType { integer, floating, boolean, text, tuple, any, config };

struct ConfigClass;
using ConfigClassPtr = std::shared_ptr<const ConfigClass>;

struct Field {
  std::string name;
  FieldType type = FieldType::text;
  std::optional<konfig::Value> default_value = {};  // nothing: it must be given
  bool nullable = false;                            // takes None
  ConfigClassPtr config = nullptr;                  // FieldType::config: its class
  const konfig::Type* exact = nullptr;  // C++: the type without Required; nullptr at run time
  bool open = false;                    // the key of a plain map: its value is taken as it is
  std::string doc = {};  // of a class made at run time; that of a struct is in konfig/docs.h
};

struct ConfigClass {
  std::string name;  // "ClassificationConfig"
  std::vector<Field> fields;
  const konfig::Type* type = nullptr;    // the struct; nullptr at run time
  konfig::detail::KeyIndex places = {};  // of fields, by name

  const Field* find(std::string_view field) const;  // nullptr: there is none
  // The field `x` that the text field `x_class` chooses the class of, and the other way round;
  // nullptr: it is a field like any other.
  const Field* chosen_by(const Field& x_class) const;
  const Field* class_field(const Field& x) const;
};

inline constexpr std::string_view kClassSuffix = "_class";

// "int", "float", "bool", "str", "tuple", "Any", or the name of the config class.
std::string type_name(const Field& field);
// One line of help; "" where there is none.
std::string doc_of(const ConfigClass& cls, const Field& field);
// How many items a tuple has; nothing: any number of them, or the field is no tuple.
std::optional<std::size_t> items_of(const Field& field);
// What an error says that it expected: "a whole number", "a number or None", "a tuple of 2".
std::string words(const Field& field);

// The description of a struct. One that is no config class is an Error: an Any needs its x_class.
ConfigClassPtr describe(const konfig::Type& type);
template <class T>
ConfigClassPtr describe() {
  if constexpr (check_config<T>()) {
    return describe(konfig::type_of<T>());
  } else {
    return nullptr;
  }
}
// Made at run time. A default of None makes a field nullable.
ConfigClassPtr make_config_class(std::string name, std::vector<Field> fields);

// ---- Objects of config classes: Values of kind Object.

// The class of an object; nullptr for any other value.
ConfigClassPtr class_of(const konfig::Value& value);
// The fields of an object in their order. Nested objects stay objects, of Required fields those
// that are given are there.
konfig::Dict fields_of(const konfig::Value& object);

// An object from its fields; those not given have their defaults. Unknown fields, all missing ones
// and values of other types are Errors.
konfig::Value make_object(const ConfigClassPtr& cls, const konfig::Dict& fields);
// The same without a look at the values, as Python does it. For classes made at run time only.
konfig::Value make_unchecked(const ConfigClassPtr& cls, const konfig::Dict& fields);

// A struct as such an object, and back.
template <class T>
konfig::Value to_object(const T& config) {
  if constexpr (check_config<T>()) {
    return konfig::Object{&konfig::type_of<T>(),
                          konfig::clone_object(konfig::type_of<T>(), &config)};
  } else {
    return {};
  }
}
const void* struct_in(const konfig::Value& object, const konfig::Type& type);
template <class T>
T from_object(const konfig::Value& object) {
  return *static_cast<const T*>(struct_in(object, konfig::type_of<T>()));
}

}  // namespace tfimm::train
