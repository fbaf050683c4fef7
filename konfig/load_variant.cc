// Which alternative of a variant a value belongs to.
#include <algorithm>
#include <optional>

#include "konfig/load.h"
#include "konfig/type_registry.h"

namespace konfig::detail {

namespace {

enum Match { no, converted, exact };

bool knows_all_keys(const Type& type, const Value& value) {
  if (type.open_kwargs()) return true;
  auto known = [&](const Value& key) {
    auto* text = key.get_if<std::string>();
    return text && type.find(*text);
  };
  if (auto* dict = value.get_if<Dict>()) {
    return std::all_of(dict->begin(), dict->end(), [&](auto& pair) { return known(pair.first); });
  }
  auto keys = value.as<ConfigDict>().keys();
  return std::all_of(keys.begin(), keys.end(), known);
}

bool is_list(const Value& value) { return value.is<List>() || value.is<Tuple>(); }
bool is_dict(const Value& value) { return value.is<Dict>() || value.is<ConfigDict>(); }

std::size_t size_of(const Value& value) {
  return value.is<List>() ? value.as<List>().size() : value.as<Tuple>().size();
}

// Judges by the outermost shape only.
Match match(const Type& type, const Value& value) {
  auto if_exact = [](bool yes) { return yes ? exact : no; };
  switch (type.kind) {
    case Kind::none:
      return if_exact(value.is_none());
    case Kind::boolean:
      return if_exact(value.is<bool>());
    case Kind::integer:
      return if_exact(value.is<std::int64_t>() || value.is<BigInt>());
    case Kind::floating:
      if (value.is<double>()) return exact;
      return value.is<std::int64_t>() || value.is<BigInt>() ? converted : no;
    case Kind::text:
      return value.is<std::string>() || value.is<std::filesystem::path>() ? converted : no;
    case Kind::enumeration: {
      auto* text = value.get_if<std::string>();
      return if_exact(text && std::any_of(type.enumerators.begin(), type.enumerators.end(),
                                          [&](auto& e) { return e.name == *text; }));
    }
    case Kind::duration:
      return value.is<std::int64_t>() || value.is<double>() || value.is<std::string>() ? converted
                                                                                       : no;
    case Kind::record:
      if (auto* object = value.get_if<Object>()) return if_exact(object->type->is(type));
      return is_dict(value) && knows_all_keys(type, value) ? converted : no;
    case Kind::tuple:
      return if_exact(is_list(value) && size_of(value) == type.fields.size());
    case Kind::array:
      return if_exact(is_list(value) && size_of(value) == type.count(nullptr));
    case Kind::list:
    case Kind::bits:
    case Kind::args:
      return is_list(value) ? converted : no;
    case Kind::map:
    case Kind::kwargs:
    case Kind::dict:
      return is_dict(value) ? converted : no;
    case Kind::optional:
      return value.is_none() ? exact : match(type.element(), value);
    case Kind::required:
    case Kind::inherit:
      return match(type.element(), value);
    case Kind::variant: {
      Match best = no;
      for (TypeOf inner : type.alternatives) best = std::max(best, match(inner(), value));
      return best;
    }
    case Kind::poly: {
      if (value.is_none()) return converted;
      auto* object = value.get_if<Object>();
      return if_exact(object && is_component(type.interface, *object->type));
    }
    case Kind::callable:
      return if_exact(value.is<SymbolName>());
    case Kind::any:
      return converted;
  }
  return no;
}

}  // namespace

// The alternatives that match, best first; the first one that loads wins. When only one matched
// its own error is the most useful, otherwise all that would have been accepted are named.
void load_variant(const Type& type, void* out, const Value& value) {
  std::optional<Error> first_error;
  std::size_t tried = 0;
  for (Match wanted : {exact, converted}) {
    for (std::size_t i = 0; i < type.alternatives.size(); ++i) {
      const Type& inner = type.alternatives[i]();
      if (match(inner, value) != wanted) continue;
      try {
        return load(inner, type.emplace_index(out, i), value);
      } catch (const Error& e) {
        if (tried++ == 0) first_error = e;
      }
    }
  }
  if (tried == 1) throw *first_error;
  fail_expected(type, value);
}

}  // namespace konfig::detail
