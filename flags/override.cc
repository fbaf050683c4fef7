// Applying overrides to a config, in favour of what the field wants.
#include <algorithm>
#include <cmath>

#include "flags/config_flag.h"
#include "flags/flag_path_impl.h"
#include "konfig/literal.h"
#include "konfig/print.h"
#include "konfig/registry.h"
#include "konfig/suggest.h"
#include "konfig/type.h"
#include "kontext/get.h"
#include "kontext/set.h"

namespace flags {
namespace {

using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Kind;
using konfig::Type;
using konfig::Value;

// What a field wants, as far as flags care.
enum class Wanted { unknown, boolean, whole, real, text };

Wanted wanted_by(const Value& current) {
  if (current.is<bool>()) return Wanted::boolean;
  if (current.is<std::int64_t>() || current.is<konfig::BigInt>()) return Wanted::whole;
  if (current.is<double>()) return Wanted::real;
  if (current.is<std::string>()) return Wanted::text;
  return Wanted::unknown;
}

Wanted wanted_by(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return Wanted::boolean;
    case Kind::integer:
      return Wanted::whole;
    case Kind::floating:
      return Wanted::real;
    case Kind::text:
      return Wanted::text;
    case Kind::optional:
    case Kind::required:
    case Kind::inherit:
      return wanted_by(type.element());
    default:
      return Wanted::unknown;
  }
}

// The registered type of the call node around a place; nullptr when there is none.
const Type* owner_of(const ConfigDict& cfg, const kontext::Path& path) {
  auto parent = kontext::find_by_path(kontext::TreeRef(cfg), path.parent());
  auto node = parent ? parent.value() : Value();
  auto* call = node.get_if<ConfigDict>();
  if (!call || !call->is_call()) return nullptr;
  auto* symbol = konfig::find_symbol(call->qualname());
  return symbol ? symbol->type : nullptr;
}

// The declared type of a field that holds nothing yet. A field that its type does not have is a
// mistake worth reporting here, long before the config is resolved.
Wanted declared(const ConfigDict& cfg, const kontext::Path& path) {
  auto* name = path.empty() ? nullptr : path[-1].text();
  auto* type = name ? owner_of(cfg, path) : nullptr;
  if (!type || name->starts_with("__")) return Wanted::unknown;
  if (auto* field = type->find(*name)) return wanted_by(field->type());
  if (!type->open_kwargs() && !kontext::find_by_path(kontext::TreeRef(cfg), path)) {
    std::vector<std::string> names;
    for (auto& field : type->fields) names.emplace_back(field.name);
    throw Error(ErrorKind::key, std::string(type->name) + " has no field '" + *name + "'" +
                                    konfig::did_you_mean(*name, names));
  }
  return Wanted::unknown;
}

Wanted wanted_at(const ConfigDict& cfg, const kontext::Path& path) {
  auto found = kontext::find_by_path(kontext::TreeRef(cfg), path);
  auto wanted = found ? wanted_by(found.value()) : Wanted::unknown;
  return wanted == Wanted::unknown ? declared(cfg, path) : wanted;
}

Value adapt(Wanted wanted, const Value& value, const std::string& text) {
  auto* words = value.get_if<std::string>();
  auto* number = value.get_if<double>();
  auto* whole = value.get_if<std::int64_t>();
  switch (wanted) {
    case Wanted::text:
      if (!words && !value.is_none()) return text;
      break;
    case Wanted::boolean:
      if (whole && (*whole == 0 || *whole == 1)) return *whole == 1;
      if (words && (*words == "yes" || *words == "on")) return true;
      if (words && (*words == "no" || *words == "off")) return false;
      break;
    case Wanted::whole:
      if (number && *number == std::floor(*number) && std::fabs(*number) < 9e15) {
        return static_cast<std::int64_t>(*number);
      }
      break;
    case Wanted::real:
      if (words && (*words == "nan" || *words == "inf" || *words == "-inf")) {
        return *words == "nan" ? std::nan("") : *words == "inf" ? INFINITY : -INFINITY;
      }
      break;
    case Wanted::unknown:
      break;
  }
  return value;
}

std::string spell(const ConfigFlag& flag, const Override& o) {
  auto dot = o.path.starts_with('[') ? "" : ".";
  return "--" + flag.name + dot + o.path + (o.bare ? "" : "=" + konfig::shorten(o.text, 60));
}

}  // namespace

void apply_overrides(ConfigDict& cfg, const ConfigFlag& flag, std::vector<std::string>& args) {
  std::vector<std::size_t> used;  // of `args`, by bare flags
  for (auto& o : flag.overrides) {
    auto path = detail::parse_flag_path(o.path, flag.name);
    try {
      auto wanted = wanted_at(cfg, path);
      Value value = o.value;
      std::string text = o.text;
      bool wants_value = wanted != Wanted::boolean && wanted != Wanted::unknown;
      if (o.bare && wants_value && o.next && *o.next < args.size()) {
        used.push_back(*o.next);
        text = args[*o.next];
        value = konfig::parse_flag_value(text);
      } else if (o.bare && wanted == Wanted::text) {
        throw Error(ErrorKind::value, "needs a value: " + spell(flag, o) + "=TEXT");
      }
      auto* words = value.get_if<std::string>();
      if (words && words->starts_with("py::")) {
        value = konfig::parse_py(std::string_view(*words).substr(4));
      } else if (!o.bare || !text.empty()) {
        value = adapt(wanted, value, text);
      }
      kontext::set_by_path(kontext::TreeRef(cfg), path, kontext::TreeRef(value));
    } catch (const Error& e) {
      throw Error(e.kind(), spell(flag, o) + ": " + e.what());
    }
  }
  std::sort(used.begin(), used.end());
  for (auto it = used.rbegin(); it != used.rend(); ++it) {
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(*it));
  }
}

}  // namespace flags
