#include "tfimm/train/config_class.h"

#include <map>
#include <mutex>

#include "base/join.h"
#include "konfig/docs.h"
#include "konfig/load.h"
#include "konfig/suggest.h"
#include "konfig/to_value.h"
#include "konfig/type_parts.h"
#include "tfimm/train/formats.h"
#include "tfimm/train/values_impl.h"

namespace tfimm::train {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Kind;
using konfig::Object;
using konfig::Type;
using konfig::Value;

namespace {

// An object of a class made at run time.
struct RuntimeObject {
  ConfigClassPtr cls = nullptr;
  Dict fields = {};
};

const Type& runtime_type() {
  static const Type type = [] {
    Type t{.name = "tfimm::train::RuntimeObject", .kind = Kind::record, .spoken_name = {}};
    konfig::detail::set_life<RuntimeObject>(t);
    return t;
  }();
  return type;
}

const RuntimeObject* runtime_object(const Value& value) {
  auto* object = value.get_if<Object>();
  if (!object || !object->type->is(runtime_type())) return nullptr;
  return static_cast<const RuntimeObject*>(object->ptr.get());
}

std::string bare(std::string_view cpp_name) {
  return std::string(cpp_name.substr(cpp_name.find_last_of(':') + 1));
}

bool is_any(const Type& type) {
  return type.kind == Kind::poly && type.interface == konfig::type_name<Any>;
}

// Without Required around it.
const Type& inside(const Type& type) { return type.kind == Kind::required ? type.element() : type; }

FieldType field_type(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return FieldType::boolean;
    case Kind::integer:
      return FieldType::integer;
    case Kind::floating:
      return FieldType::floating;
    case Kind::text:
      return FieldType::text;
    case Kind::poly:
      return FieldType::any;
    case Kind::record:
      return FieldType::config;
    case Kind::optional:
      return field_type(type.element());
    default:
      return FieldType::tuple;
  }
}

// The value of a field of a struct: nothing where a Required one is not given.
std::optional<Value> value_at(const Field& field, const Type& declared, const void* place) {
  if (declared.kind == Kind::required) {
    place = declared.get(const_cast<void*>(place));
    if (!place) return std::nullopt;
  }
  const Value value = konfig::to_value(*field.exact, place);
  return field.type == FieldType::tuple ? detail::as_tuple(value) : value;
}

// Makes fields known by name, and refuses classes that no config could fill.
void check_names(ConfigClass& cls) {
  for (std::size_t i = 0; i < cls.fields.size(); ++i) {
    if (cls.find(cls.fields[i].name)) {
      throw Error(ErrorKind::value, cls.name + " has two fields '" + cls.fields[i].name + "'");
    }
    cls.places.add(cls.fields[i].name, i);
  }
  for (const Field& field : cls.fields) {
    if (field.name.find('.') != field.name.npos) {
      throw Error(ErrorKind::value,
                  cls.name + ": a field is named '" + field.name + "'; names have no dots");
    }
    const Field* chooser = cls.find(field.name + std::string(kClassSuffix));
    if (field.type == FieldType::any && !(chooser && chooser->type == FieldType::text)) {
      throw Error(ErrorKind::type, cls.name + "." + field.name + ": an Any needs a text field " +
                                       field.name + "_class beside it, for the name of its class");
    }
    if (field.type == FieldType::config && chooser) {
      throw Error(ErrorKind::type, cls.name + "." + field.name + ": its class is fixed, but " +
                                       field.name + "_class chooses one; make it an Any");
    }
  }
}

ConfigClassPtr describe_struct(const Type& type) {
  auto cls = std::make_shared<ConfigClass>();
  cls->name = bare(type.name);
  cls->type = &type;
  for (const konfig::Field& declared : type.fields) {
    const Type& exact = inside(declared.type());
    Field field{.name = std::string(declared.name), .type = field_type(exact), .exact = &exact};
    field.nullable = exact.kind == Kind::optional || is_any(exact);
    if (field.type == FieldType::config) field.config = describe(exact);
    field.default_value =
        value_at(field, declared.type(), konfig::detail::at_offset(type.defaults, declared.offset));
    cls->fields.push_back(std::move(field));
  }
  check_names(*cls);
  return cls;
}

[[noreturn]] void fail_unknown(const ConfigClass& cls, const std::string& key) {
  std::vector<std::string> known;
  for (const Field& field : cls.fields) known.push_back(field.name);
  throw Error(ErrorKind::key,
              cls.name + " has no field '" + key + "'" + konfig::did_you_mean(key, known) +
                  (known.empty() ? "" : " (it has " + base::join(known, ", ") + ")"));
}

// All fields with their defaults, those not given filled in; all that are missing are one Error.
Dict with_defaults(const ConfigClass& cls, const Dict& given) {
  for (auto& [key, value] : given) {
    auto* name = key.get_if<std::string>();
    if (!name || !cls.find(*name)) fail_unknown(cls, name ? *name : key.repr());
  }
  Dict out;
  std::vector<std::string> missing;
  for (const Field& field : cls.fields) {
    const Value* value = given.find(field.name);
    if (value) {
      out.set(field.name, *value);
    } else if (field.default_value) {
      out.set(field.name, *field.default_value);
    } else if (field.type != FieldType::any) {
      missing.push_back("'" + field.name + "'");
    } else {
      out.set(field.name, nullptr);
    }
  }
  if (!missing.empty()) {
    throw Error(ErrorKind::required, cls.name + " needs " + base::join(missing, ", "));
  }
  return out;
}

void set_field(const Field& field, const Type& declared, void* place, const Value& value) {
  if (field.type == FieldType::any || field.type == FieldType::config) {
    if (declared.kind == Kind::required) place = declared.emplace(place);
    if (field.type == FieldType::any) {
      *static_cast<Any*>(place) = Any::from_value(value);
      return;
    }
    return field.exact->assign(place, struct_in(value, *field.exact));
  }
  konfig::load(declared, place, value);
}

Value make_struct(const ConfigClass& cls, const Dict& fields) {
  auto object = konfig::make_object(*cls.type);
  for (std::size_t i = 0; i < cls.fields.size(); ++i) {
    const konfig::Field& declared = cls.type->fields[i];
    set_field(cls.fields[i], declared.type(),
              konfig::detail::at_offset(object.get(), declared.offset),
              fields.at(cls.fields[i].name));
  }
  return Object{cls.type, std::move(object)};
}

}  // namespace

const Field* ConfigClass::find(std::string_view field) const {
  const std::size_t* at = places.find(field);
  return at ? &fields[*at] : nullptr;
}

const Field* ConfigClass::chosen_by(const Field& x_class) const {
  const std::string_view name = x_class.name;
  if (x_class.type != FieldType::text || !name.ends_with(kClassSuffix)) return nullptr;
  const Field* x = find(name.substr(0, name.size() - kClassSuffix.size()));
  return x && x->type == FieldType::any ? x : nullptr;
}

const Field* ConfigClass::class_field(const Field& x) const {
  return x.type == FieldType::any ? find(x.name + std::string(kClassSuffix)) : nullptr;
}

std::string type_name(const Field& field) {
  switch (field.type) {
    case FieldType::integer:
      return "int";
    case FieldType::floating:
      return "float";
    case FieldType::boolean:
      return "bool";
    case FieldType::text:
      return "str";
    case FieldType::tuple:
      return "tuple";
    case FieldType::any:
      return "Any";
    case FieldType::config:
      return field.config->name;
  }
  return "";
}

std::string doc_of(const ConfigClass& cls, const Field& field) {
  return cls.type ? std::string(konfig::field_doc(*cls.type, field.name)) : field.doc;
}

std::optional<std::size_t> items_of(const Field& field) {
  if (field.type != FieldType::tuple || !field.exact) return std::nullopt;
  const Type& type = field.exact->kind == Kind::optional ? field.exact->element() : *field.exact;
  if (type.kind == Kind::tuple) return type.fields.size();
  if (type.kind == Kind::array) return type.count(nullptr);
  return std::nullopt;
}

std::string words(const Field& field) {
  static constexpr const char* kWords[] = {"a whole number", "a number", "a boolean",
                                           "text",           "a tuple",  "a config"};
  std::string what = field.type == FieldType::config ? "a " + field.config->name
                                                     : kWords[static_cast<std::size_t>(field.type)];
  if (const auto items = items_of(field)) what += " of " + std::to_string(*items);
  return what + (field.nullable && field.type != FieldType::any ? " or None" : "");
}

ConfigClassPtr describe(const Type& type) {
  // By name: two libraries may each hold a table of one type.
  static auto* mutex = new std::recursive_mutex;
  static auto* known = new std::map<std::string, ConfigClassPtr, std::less<>>;
  std::lock_guard lock(*mutex);
  auto it = known->find(type.name);
  // A reloaded file brings its types again, at other addresses.
  if (it == known->end() || it->second->type != &type) {
    it = known->insert_or_assign(std::string(type.name), describe_struct(type)).first;
  }
  return it->second;
}

ConfigClassPtr make_config_class(std::string name, std::vector<Field> fields) {
  auto cls = std::make_shared<ConfigClass>();
  cls->name = std::move(name);
  cls->fields = std::move(fields);
  for (Field& field : cls->fields) {
    const bool is_none = field.default_value && field.default_value->is_none();
    field.nullable = field.nullable || is_none || field.type == FieldType::any;
  }
  check_names(*cls);
  return cls;
}

ConfigClassPtr class_of(const Value& value) {
  if (auto* object = runtime_object(value)) return object->cls;
  auto* object = value.get_if<Object>();
  return object && object->type->kind == Kind::record ? describe(*object->type) : nullptr;
}

Dict fields_of(const Value& value) {
  if (auto* object = runtime_object(value)) return object->fields;
  const ConfigClassPtr cls = class_of(value);
  if (!cls) throw Error(ErrorKind::type, "expected a config, got " + konfig::describe(value));
  const void* object = value.as<Object>().ptr.get();
  Dict out;
  for (std::size_t i = 0; i < cls->fields.size(); ++i) {
    const konfig::Field& declared = cls->type->fields[i];
    const void* place = konfig::detail::at_offset(object, declared.offset);
    if (auto field = value_at(cls->fields[i], declared.type(), place)) {
      out.set(cls->fields[i].name, *std::move(field));
    }
  }
  return out;
}

Value make_object(const ConfigClassPtr& cls, const Dict& fields) {
  Dict all;
  for (auto& [key, value] : with_defaults(*cls, fields)) {
    const Field& field = *cls->find(key.as<std::string>());
    try {
      all.set(key, detail::fit(field, value));
    } catch (const Error& e) {
      throw e.within(field.name);
    }
  }
  return cls->type ? make_struct(*cls, all) : make_unchecked(cls, all);
}

Value make_unchecked(const ConfigClassPtr& cls, const Dict& fields) {
  return Object{&runtime_type(),
                std::make_shared<RuntimeObject>(RuntimeObject{cls, with_defaults(*cls, fields)})};
}

const void* struct_in(const Value& value, const Type& type) {
  auto* object = value.get_if<Object>();
  if (!object || !object->type->is(type)) {
    const ConfigClassPtr cls = class_of(value);
    throw Error(ErrorKind::type, "expected a " + bare(type.name) + ", got " +
                                     (cls ? "a " + cls->name : konfig::describe(value)));
  }
  return object->ptr.get();
}

Any Any::from_value(const Value& value) {
  Any out;
  if (value.is_none()) return out;
  auto* object = value.get_if<Object>();
  if (!object || !class_of(value)) {
    throw Error(ErrorKind::type, "expected a config or None, got " + konfig::describe(value));
  }
  out.set_object(*object->type, object->ptr);
  return out;
}

Value Any::value() const { return *this ? Value(Object{type(), object()}) : Value(); }

bool operator==(const Any& a, const Any& b) {
  if (!a || !b) return !a && !b;
  return class_of(a.value())->name == class_of(b.value())->name &&
         Value(to_dict_format(a.value())) == Value(to_dict_format(b.value()));
}

}  // namespace tfimm::train
