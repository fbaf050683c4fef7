#include "konfig/load.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/join.h"
#include "konfig/callable.h"
#include "konfig/callable_impl.h"
#include "konfig/caller.h"
#include "konfig/copy_scope.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/registry.h"
#include "konfig/sequence.h"
#include "konfig/suggest.h"
#include "konfig/type_registry.h"

namespace konfig {

namespace {

// Runs `work`; its error gets one more step in front.
template <class Work>
void at_step(std::string_view step, Work work) {
  try {
    work();
  } catch (const Error& e) {
    throw e.within(step);
  }
}

std::string index_step(std::size_t i) { return "[" + std::to_string(i) + "]"; }

// Plain dicts and plain nodes alike.
std::optional<Dict> as_dict(const Value& value) {
  if (auto* dict = value.get_if<Dict>()) return *dict;
  if (auto* node = value.get_if<ConfigDict>(); node && !node->is_call() && !node->is_const()) {
    Dict out;
    for (auto& [key, item] : node->items()) out.set(key, item);
    return out;
  }
  return std::nullopt;
}

// Elements of arrays and tuples start from the defaults of their type, as those of vectors do.
void load_element(const Type& type, void* out, const Value& value) {
  if (type.kind == Kind::record) type.assign(out, type.defaults);
  load(type, out, value);
}

bool is_scalar(Kind kind) {
  return kind == Kind::boolean || kind == Kind::integer || kind == Kind::floating ||
         kind == Kind::text || kind == Kind::enumeration || kind == Kind::duration;
}

void load_optional(const Type& type, void* out, const Value& value) {
  if (value.is_none()) return type.reset(out);
  try {
    load(type.element(), type.emplace(out), value);
  } catch (const Error& e) {
    // "expected a number, got ..." would hide that None is fine.
    if (e.kind() == ErrorKind::type && is_scalar(type.element().kind)) {
      detail::fail_expected(type, value);
    }
    throw;
  }
}

void load_list(const Type& type, void* out, const Value& value) {
  auto* items = as_sequence(value);
  if (!items) detail::fail_expected(type, value);
  if (type.resize) {
    type.resize(out, 0);  // elements start from their defaults, not from old content
    type.resize(out, items->size());
  } else if (items->size() != type.count(out)) {
    detail::fail_expected(type, value);
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    at_step(index_step(i), [&] { load_element(type.element(), type.at(out, i), (*items)[i]); });
  }
}

void load_bits(const Type& type, void* out, const Value& value) {
  auto* items = as_sequence(value);
  if (!items) detail::fail_expected(type, value);
  auto& bits = *static_cast<std::vector<bool>*>(out);
  bits.clear();
  for (std::size_t i = 0; i < items->size(); ++i) {
    at_step(index_step(i), [&] { bits.push_back(load<bool>((*items)[i])); });
  }
}

void load_tuple(const Type& type, void* out, const Value& value) {
  auto* items = as_sequence(value);
  if (!items || items->size() != type.fields.size()) detail::fail_expected(type, value);
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Field& field = type.fields[i];
    at_step(index_step(i),
            [&] { load_element(field.type(), detail::at_offset(out, field.offset), (*items)[i]); });
  }
}

const std::string& text_key(const Value& key) {
  auto* text = key.get_if<std::string>();
  if (!text) throw Error(ErrorKind::type, "expected text as key, got " + describe(key));
  return *text;
}

void load_map(const Type& type, void* out, const Value& value) {
  if (value.is_none()) return type.clear(out);
  auto dict = as_dict(value);
  if (!dict) detail::fail_expected(type, value);
  type.clear(out);
  for (auto& [key, item] : *dict) {
    const std::string& text = text_key(key);
    const Value& entry = item;  // clang 14 captures no structured bindings
    at_step(text, [&] { load(type.element(), type.insert(out, text), entry); });
  }
}

void load_record(const Type& type, void* out, const Value& value) {
  if (auto* object = value.get_if<Object>()) {
    if (!object->type->is(type)) detail::fail_expected(type, value);
    type.assign(out, object->ptr.get());
  } else if (auto dict = as_dict(value)) {
    load_fields(type, out, *dict);
  } else {
    detail::fail_expected(type, value);
  }
}

// The component that calls the function, where the interface has one; else the value itself.
Value with_caller(const Type& type, const Value& value) {
  if (!value.is<SymbolName>()) return value;
  const std::string caller = detail::caller_of(type.interface);
  if (caller.empty()) return value;
  try {
    return get_symbol(caller).construct({.positional = {}, .keyword = {{"function", value}}});
  } catch (const Error& e) {
    throw Error(e.kind(), e.message());  // the field is not one that the config has
  }
}

void load_poly(const Type& type, void* out, const Value& given) {
  auto& poly = *static_cast<PolyBase*>(out);
  if (given.is_none()) {
    poly.reset();
    return;
  }
  const Value value = with_caller(type, given);
  auto* object = value.get_if<Object>();
  if (!object || !is_component(type.interface, *object->type)) {
    detail::fail_expected(type, value);
  }
  poly.set_object(*object->type, object->ptr);
}

// A name that is registered alone, while the library that has such functions is not loaded.
bool is_name_only(const std::string& qualname, std::string_view signature) {
  const Symbol* symbol = find_symbol(qualname);
  return symbol && !symbol->construct && !symbol->constant && !detail::has_callables(signature);
}

void load_callable(const Type& type, void* out, const Value& value) {
  auto& callable = *static_cast<CallableBase*>(out);
  if (value.is_none()) {
    callable.qualname.clear();
  } else if (auto* name = value.get_if<SymbolName>()) {
    if (!is_name_only(name->qualname, type.interface)) {
      detail::find_callable(name->qualname, type.interface);
    }
    callable.qualname = name->qualname;
  } else {
    detail::fail_expected(type, value);
  }
}

void load_dict(const Type& type, void* out, const Value& value) {
  auto& dict = *static_cast<ConfigDict*>(out);
  if (auto* node = value.get_if<ConfigDict>()) {
    dict = node->copy();
  } else if (auto* data = value.get_if<Dict>()) {
    dict = ConfigDict(*data);
  } else if (value.is_none()) {
    dict = ConfigDict();
  } else {
    detail::fail_expected(type, value);
  }
}

// Of a small struct; the fields of a large one are no help.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  if (names.empty() || names.size() > kMost) return "";
  return " (there are: " + base::join(names, ", ") + ")";
}

[[noreturn]] void fail_unknown_field(const Type& type, const std::string& name) {
  std::vector<std::string> known;
  for (const Field& f : type.fields) known.emplace_back(f.name);
  const std::string near = did_you_mean(name, known);
  throw Error(
      ErrorKind::type, name,
      std::string(type.name) + " has no such field" + (near.empty() ? listed(known) : near));
}

// Tracks which fields were given, so that none is given twice and no required one is missing.
class RecordLoader {
 public:
  RecordLoader(const Type& type, void* out)
      : type_(type), out_(out), given_(type.fields.size(), false) {}

  void positional(const std::vector<Value>& values) {
    if (auto* open = type_.open_args()) {
      const Type& list = open->type();
      void* at = detail::at_offset(out_, open->offset);
      list.resize(at, 0);
      list.resize(at, values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        at_step(index_step(i), [&] { load(list.element(), list.at(at, i), values[i]); });
      }
      return;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size(); ++i, ++next) {
      while (next < type_.fields.size() && type_.fields[next].type().kind == Kind::kwargs) ++next;
      if (next >= type_.fields.size()) {
        throw Error(ErrorKind::type, index_step(i),
                    std::string(type_.name) + " takes at most " + std::to_string(i) +
                        " positional arguments, got " + std::to_string(values.size()));
      }
      field(next, values[i]);
    }
  }

  void keyword(const std::string& name, const Value& value) {
    for (std::size_t i = 0; i < type_.fields.size(); ++i) {
      const Kind kind = type_.fields[i].type().kind;
      if (type_.fields[i].name == name && kind != Kind::args && kind != Kind::kwargs) {
        field(i, value);
        return;
      }
    }
    auto* open = type_.open_kwargs();
    if (!open) fail_unknown_field(type_, name);
    const Type& map = open->type();
    void* at = detail::at_offset(out_, open->offset);
    if (!std::exchange(open_cleared_, true)) map.clear(at);
    at_step(name, [&] { load(map.element(), map.insert(at, name), value); });
  }

  void finish() const {
    for (std::size_t i = 0; i < type_.fields.size(); ++i) {
      const Field& f = type_.fields[i];
      const Type& t = f.type();
      if (t.kind == Kind::required && !t.get(detail::at_offset(out_, f.offset))) {
        throw Error(ErrorKind::type, std::string(f.name),
                    "missing: " + std::string(type_.name) + " requires " + words(t.element()));
      }
    }
  }

 private:
  void field(std::size_t i, const Value& value) {
    const Field& f = type_.fields[i];
    if (given_[i]) {
      throw Error(ErrorKind::type, std::string(f.name), "given twice, by position and by name");
    }
    given_[i] = true;
    at_step(f.name, [&] { load(f.type(), detail::at_offset(out_, f.offset), value); });
  }

  const Type& type_;
  void* out_;
  std::vector<bool> given_;
  bool open_cleared_ = false;
};

}  // namespace

std::string describe(const Value& value) {
  if (auto* text = value.get_if<std::string>()) return shorten(to_json(*text), 60);
  if (auto* object = value.get_if<Object>()) {
    const std::string_view spoken = object->type->spoken_name;
    return spoken.empty() ? words(Type{.name = object->type->name, .kind = Kind::record})
                          : std::string(spoken);
  }
  if (auto* name = value.get_if<SymbolName>()) return "the constant " + name->qualname;
  if (auto* seq = as_sequence(value)) {
    return (value.is<List>() ? "a list of " : "a tuple of ") + std::to_string(seq->size());
  }
  if (auto* node = value.get_if<ConfigDict>(); node && !node->qualname().empty()) {
    return "a config of " + node->qualname();
  }
  if (value.is<Dict>() || value.is<ConfigDict>()) return "a dict";
  return shorten(value.repr(), 60);
}

void detail::fail_expected(const Type& type, const Value& value) {
  throw Error(ErrorKind::type, "expected " + words(type) + ", got " + describe(value));
}

void load_fields(const Type& type, void* out, const Dict& fields) {
  RecordLoader loader(type, out);
  for (auto& [key, value] : fields) loader.keyword(text_key(key), value);
  loader.finish();
}

void load_arguments(const Type& type, void* out, const Arguments& arguments) {
  RecordLoader loader(type, out);
  loader.positional(arguments.positional);
  for (auto& [name, value] : arguments.keyword) loader.keyword(name, value);
  loader.finish();
}

void load(const Type& type, void* out, const Value& value) {
  switch (type.kind) {
    case Kind::none:
      if (!value.is_none()) detail::fail_expected(type, value);
      return;
    case Kind::boolean:
    case Kind::integer:
    case Kind::floating:
    case Kind::text:
    case Kind::enumeration:
    case Kind::duration:
      return detail::load_scalar(type, out, value);
    case Kind::list:
    case Kind::array:
    case Kind::args:
      return load_list(type, out, value);
    case Kind::bits:
      return load_bits(type, out, value);
    case Kind::tuple:
      return load_tuple(type, out, value);
    case Kind::map:
    case Kind::kwargs:
      return load_map(type, out, value);
    case Kind::record:
      return load_record(type, out, value);
    case Kind::optional:
      return load_optional(type, out, value);
    case Kind::inherit:
      // Nothing at all, or what the root has? A map is written out: {}.
      if (value.is_none() && type.element().kind == Kind::map) detail::fail_expected(type, value);
      static_cast<detail::InheritBase*>(out)->origin = detail::Origin::given;
      return load(type.element(), type.emplace(out), value);
    case Kind::required:
      return load(type.element(), type.emplace(out), value);
    case Kind::variant:
      return detail::load_variant(type, out, value);
    case Kind::poly:
      return load_poly(type, out, value);
    case Kind::callable:
      return load_callable(type, out, value);
    case Kind::any:
      *static_cast<Value*>(out) = value;
      return;
    case Kind::dict:
      return load_dict(type, out, value);
  }
}

}  // namespace konfig
