#include "konfig/register.h"

#include "konfig/construct.h"
#include "konfig/root.h"

namespace konfig::detail {

namespace {

std::vector<std::string> raw_fields_of(const Type& type) {
  std::vector<std::string> out(type.raw_fields.begin(), type.raw_fields.end());
  for (const Field& field : type.fields) {
    if (field.type().kind == Kind::dict) out.emplace_back(field.name);
  }
  return out;
}

Value build(const Type& type, const Arguments& arguments) {
  auto object = make_object(type);
  load_arguments(type, object.get(), arguments);
  if (type.is_root) fill_from_root(type, object.get());
  return Object{&type, std::move(object)};
}

// Only objects of this very type: a named constructor may give back something else.
void call_post_resolve(const Type& type, Value& value, const ConfigDict& node) {
  auto* object = value.get_if<Object>();
  if (object && object->type->is(type)) {
    type.post_resolve(const_cast<void*>(object->ptr.get()), node);
  }
}

// A name that two types claim means neither of them: building it is an Error, whichever type came
// last.
void refuse_taken_name(Symbol& symbol) {
  const Symbol* known = find_symbol(symbol.qualname);
  if (!known || known->qualname != symbol.qualname || !known->type ||
      known->type->name == symbol.type->name) {
    return;
  }
  const std::string text =
      "two types have the name '" + symbol.qualname + "': " + std::string(known->type->name) +
      " and " + std::string(symbol.type->name) + "; register one of them under another name";
  symbol.construct = [text](const Arguments&) -> Value { throw Error(ErrorKind::value, text); };
}

}  // namespace

bool register_type(const Type& type, std::string_view interface, std::string_view also,
                   const char* const* names) {
  std::vector<std::string> all;
  for (; *names; ++names) all.emplace_back(*names);
  if (all.empty()) all.push_back(default_qualname(type.name));
  register_type_name(type.name, all.front());
  for (std::string_view of : {interface, also}) {
    if (!of.empty()) register_component(of, type.name);
  }
  Symbol symbol;
  symbol.construct = [&type, of = std::string(interface)](const Arguments& arguments) {
    if (auto* construct = find_construct(of)) {
      return (*construct)(type, arguments,
                          [&type](const Arguments& fields) { return build(type, fields); });
    }
    return build(type, arguments);
  };
  symbol.type = &type;
  symbol.interface = interface;
  symbol.raw_fields = raw_fields_of(type);
  if (type.post_resolve) {
    symbol.post_resolve = [&type](Value& value, const ConfigDict& node) {
      call_post_resolve(type, value, node);
    };
  }
  for (const std::string& name : all) {
    const Symbol* known = find_symbol(name);
    symbol.qualname = name;
    symbol.constant = known ? known->constant : std::nullopt;
    Symbol checked = symbol;
    refuse_taken_name(checked);
    register_symbol(std::move(checked));
  }
  return true;
}

bool register_function(std::string qualname, const Type& arguments, CallFunction call) {
  register_type_name(arguments.name, qualname);
  Symbol symbol{.qualname = std::move(qualname)};
  symbol.construct = [&arguments, call](const Arguments& given) {
    auto filled = make_object(arguments);
    load_arguments(arguments, filled.get(), given);
    Value out = call(filled.get());
    if (auto* object = out.get_if<Object>(); object && object->type->is_root) {
      fill_from_root(*object->type, const_cast<void*>(object->ptr.get()));
    }
    return out;
  };
  symbol.type = &arguments;
  symbol.raw_fields = raw_fields_of(arguments);
  refuse_taken_name(symbol);
  register_symbol(std::move(symbol));
  return true;
}

bool register_constant(std::string qualname, const Type& type, const void* value) {
  const Symbol* known = find_symbol(qualname);
  Symbol symbol = known ? *known : Symbol{.qualname = std::move(qualname)};
  symbol.constant = to_value(type, value);
  register_symbol(std::move(symbol));
  return true;
}

std::shared_ptr<const void> resolve_to(const ConfigDict& cfg, const Type& type) {
  Value value = resolve(Value(cfg));
  if (value.is<Object>()) return object_of(value, type);
  auto object = make_object(type);
  load(type, object.get(), value);
  if (type.is_root) fill_from_root(type, object.get());
  return object;
}

}  // namespace konfig::detail
