// Applying overrides to a config, in favour of what the field wants.
#include <algorithm>

#include "base/join.h"
#include "flags/config_flag.h"
#include "flags/flag_path_impl.h"
#include "flags/wanted_impl.h"
#include "konfig/literal.h"
#include "konfig/lower.h"
#include "konfig/print.h"
#include "konfig/qualnames.h"
#include "konfig/registry.h"
#include "konfig/suggest.h"
#include "konfig/type.h"
#include "kontext/get.h"
#include "kontext/set.h"

namespace flags {
namespace {

using detail::Wanted;
using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Kind;
using konfig::Type;
using konfig::Value;

// The registered type of the call node around a place; nullptr when there is none.
const Type* owner_of(const ConfigDict& cfg, const kontext::Path& path) {
  auto parent = kontext::find_by_path(kontext::TreeRef(cfg), path.parent());
  auto node = parent ? parent.value() : Value();
  auto* call = node.get_if<ConfigDict>();
  if (!call || !call->is_call()) return nullptr;
  auto* symbol = konfig::find_symbol(call->qualname());
  return symbol ? symbol->type : nullptr;
}

// The type of a declared field's item, for the paths of lists.
const Type* item_type(const Type& type) {
  switch (type.kind) {
    case Kind::list:
    case Kind::array:
    case Kind::optional:
    case Kind::required:
    case Kind::inherit:
      return &type.element();
    default:
      return nullptr;
  }
}

// What may have been meant, or else what there is.
std::string nearest_field(const Type& type, const std::string& name) {
  std::vector<std::string> names;
  for (auto& field : type.fields) names.emplace_back(field.name);
  const std::string near = konfig::did_you_mean(name, names);
  return near.empty() && !names.empty() ? "; it has: " + base::join(names, ", ") : near;
}

// How a value of the right kind is written.
std::string advice(Wanted wanted, const Value& current) {
  auto* node = current.get_if<ConfigDict>();
  switch (wanted) {
    case Wanted::boolean:
      return "; give it True or False";
    case Wanted::whole:
      return "; give it a whole number";
    case Wanted::real:
      return "; give it a number, such as 0.001";
    case Wanted::other:
      if (node && node->is_call()) {
        const std::string text = current.repr();  // <ConfigDict[optax.adam(...)]>
        const std::size_t begin = text.find('[') + 1;
        return "; give it an object, such as 'py::" + text.substr(begin, text.find('(') - begin) +
               "(...)'";
      }
      return node ? "; give it a dict, such as '{\"a\": 1}'"
                  : "; give it a list, such as '[\"a\", \"b\"]'";
    default:
      return "";
  }
}

// The declared type of a place; nullptr when it is not known. A field that its type does not have
// is a mistake worth reporting here, long before the config is resolved.
const Type* declared(const ConfigDict& cfg, const kontext::Path& path) {
  if (path.empty()) return nullptr;
  auto* name = path[-1].text();
  if (!name) {
    const auto place = path[-1].index();
    if (auto* type = owner_of(cfg, path); type && place && !type->open_args()) {
      const bool known = *place >= 0 && *place < static_cast<std::int64_t>(type->fields.size());
      return known ? &type->fields[static_cast<std::size_t>(*place)].type() : nullptr;
    }
    auto* list = path[-1].index() ? declared(cfg, path.parent()) : nullptr;
    while (list && list->kind != Kind::list && list->kind != Kind::array) list = item_type(*list);
    return list ? item_type(*list) : nullptr;
  }
  auto* type = owner_of(cfg, path);
  if (!type || name->starts_with("__")) return nullptr;
  if (auto* field = type->find(*name)) return &field->type();
  if (!type->open_kwargs() && !kontext::find_by_path(kontext::TreeRef(cfg), path)) {
    throw Error(ErrorKind::key, std::string(type->name) + " has no field '" + *name + "'" +
                                    nearest_field(*type, *name));
  }
  return nullptr;
}

// Makes what a config leaves out on the way to a place, since its structs have it anyway: the node
// setup.tqdm_info of setup.tqdm_info.desc, and the map train_metrics of train_metrics.psnr.
void make_nodes(ConfigDict& cfg, const kontext::Path& path) {
  std::vector<kontext::Path> around;  // the innermost first
  for (auto head = path.parent(); !head.empty(); head = head.parent()) around.push_back(head);
  for (auto head = around.rbegin(); head != around.rend(); ++head) {
    if (kontext::find_by_path(kontext::TreeRef(cfg), *head)) continue;
    const Type* owner = owner_of(cfg, *head);
    auto* name = (*head)[-1].text();
    auto* field = owner && owner->defaults && name ? owner->find(*name) : nullptr;
    if (!field) return;
    if (field->type().kind == Kind::map || field->type().kind == Kind::dict) {
      kontext::set_by_path(kontext::TreeRef(cfg), *head, kontext::TreeRef(Value(ConfigDict())));
      continue;
    }
    if (field->type().kind != Kind::record && field->type().kind != Kind::poly) return;
    const Value node = konfig::detail::plain_value(
        field->type(), konfig::detail::at_offset(owner->defaults, field->offset));
    if (!node.is<ConfigDict>()) return;
    kontext::set_by_path(kontext::TreeRef(cfg), *head, kontext::TreeRef(node));
  }
}

// What the place wants: by its declared type, else by what it holds.
Wanted wanted_at(const ConfigDict& cfg, const kontext::Path& path, const Type* type) {
  auto wanted = type ? detail::wanted_by(*type) : Wanted::unknown;
  if (wanted != Wanted::unknown) return wanted;
  auto found = kontext::find_by_path(kontext::TreeRef(cfg), path);
  return found ? detail::wanted_by(found.value()) : Wanted::unknown;
}

// A run that a config starts from: a number in the reference, where configs have placeholder(int)
// for it, and a folder here, too.
bool names_run(const kontext::Path& path) { return path.str() == "aux.xid"; }

// The type that a field is declared with counts, not that of the value it happens to hold.
void write(ConfigDict& cfg, const kontext::Path& path, const Value& value, const Type* type) {
  try {
    kontext::set_by_path(kontext::TreeRef(cfg), path, kontext::TreeRef(value));
  } catch (const Error& e) {
    const bool fits = names_run(path) || (type && detail::accepts(*type, value));
    if (e.kind() != ErrorKind::type || !fits) throw;
    auto unchecked = cfg.ignore_type();
    kontext::set_by_path(kontext::TreeRef(cfg), path, kontext::TreeRef(value));
  }
}

// --cfg.path or --nocfg.path, without a value.
bool is_switch(const Override& o) { return o.text.empty() && o.value.is<bool>(); }

std::string spell(const ConfigFlag& flag, const Override& o) {
  auto path = flag.name + (o.path.starts_with('[') ? "" : ".") + o.path;
  if (is_switch(o)) return (o.bare ? "--" : "--no") + path;
  return "--" + path + "=" + konfig::shorten(o.text, 60);
}

// Where a field is declared as a number or text, True and False are mistakes.
void check_switch(const ConfigFlag& flag, const Override& o, Wanted wanted, const Type* type) {
  if (!is_switch(o) || wanted == Wanted::boolean || wanted == Wanted::unknown) return;
  if (!type && (wanted != Wanted::text || !o.bare)) return;
  auto path = "--" + flag.name + "." + o.path;
  throw Error(ErrorKind::type, "is no boolean; give it a value: " + path + "=VALUE");
}

// Other readings of a text that the field did not take as it was. A typed placeholder holds nothing
// that tells what it wants: there the first reading that it takes is meant.
bool write_other_reading(ConfigDict& cfg, const kontext::Path& path, Override& o) {
  auto current = kontext::find_by_path(kontext::TreeRef(cfg), path);
  std::vector<Wanted> readings = {Wanted::boolean, Wanted::whole, Wanted::real, Wanted::text};
  if (current && !current.value().is_none()) readings = {detail::wanted_by(current.value())};
  for (auto wanted : readings) {
    auto value = detail::adapt(wanted, o.value, o.text);
    if (value.variant().index() == o.value.variant().index()) continue;
    try {
      write(cfg, path, value, nullptr);
      o.value = value;
      return true;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::type) throw;
    }
  }
  return false;
}

// Values are read without a look at the field, as in Kauldron, unless its type is declared. Where
// that does not fit, what the field holds tells how to read them.
void write_text(ConfigDict& cfg, const kontext::Path& path, Override& o, const Type* type) {
  if (type) o.value = detail::adapt(detail::wanted_by(*type), o.value, o.text);
  try {
    write(cfg, path, o.value, type);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::type || !write_other_reading(cfg, path, o)) throw;
  }
}

// Gives a bare flag the word behind it where its field is no boolean. True when it did.
bool take_next(Override& o, Wanted wanted, const std::vector<std::string>& args) {
  bool wants_value = wanted != Wanted::boolean && wanted != Wanted::unknown;
  if (!o.bare || !wants_value || !o.next || *o.next >= args.size()) return false;
  o.text = args[*o.next];
  o.value = konfig::parse_flag_value(o.text);
  o.bare = false;
  return true;
}

// True when the flag used the word behind it.
bool apply(ConfigDict& cfg, const ConfigFlag& flag, Override& o,
           const std::vector<std::string>& args) {
  auto path = detail::spelled_as_in(cfg, detail::parse_flag_path(o.path, flag.name));
  make_nodes(cfg, path);
  auto* type = declared(cfg, path);
  auto wanted = wanted_at(cfg, path, type);
  bool took_next = take_next(o, wanted, args);
  check_switch(flag, o, wanted, type);
  // '{"__qualname__": "kxm.SimpleSweep"}', as in a JSON file.
  if (o.value.is<konfig::Dict>()) o.value = konfig::with_registered_names(o.value);
  auto* words = o.value.get_if<std::string>();
  if (words && words->starts_with("py::")) {
    write(cfg, path, konfig::parse_py(std::string_view(*words).substr(4)), type);
  } else if (o.text.empty()) {
    write(cfg, path, o.value, type);
  } else {
    try {
      write_text(cfg, path, o, type);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::type) throw;
      auto current = kontext::find_by_path(kontext::TreeRef(cfg), path);
      throw e.with(advice(wanted, current ? current.value() : Value()));
    }
  }
  return took_next;
}

}  // namespace

void apply_overrides(ConfigDict& cfg, ConfigFlag& flag, std::vector<std::string>& args) {
  std::vector<std::size_t> used;  // of `args`, by bare flags
  for (auto& o : flag.overrides) {
    try {
      if (apply(cfg, flag, o, args)) used.push_back(*o.next);
    } catch (const Error& e) {
      throw Error(e.kind(), spell(flag, o) + ": " + e.what());
    }
  }
  std::sort(used.begin(), used.end());
  for (auto it = used.rbegin(); it != used.rend(); ++it) {
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(*it));
  }
}

konfig::Dict overridden_values(const ConfigDict& cfg, const ConfigFlag& flag,
                               const std::vector<std::string>& args) {
  konfig::Dict out;
  try {
    auto copy = cfg.copy();
    auto flag_copy = flag;
    auto args_copy = args;
    apply_overrides(copy, flag_copy, args_copy);
    for (auto& o : flag.overrides) {
      auto path = detail::spelled_as_in(copy, detail::parse_flag_path(o.path, flag.name));
      out.set(o.path, kontext::get_by_path(kontext::TreeRef(copy), path).value());
    }
  } catch (const Error&) {
    return {};
  }
  return out;
}

}  // namespace flags
