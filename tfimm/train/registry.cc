#include "tfimm/train/registry.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/join.h"
#include "konfig/suggest.h"
#include "konfig/type_registry.h"

namespace tfimm::train {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Object;
using konfig::Symbol;
using konfig::Type;

namespace {

constexpr std::string_view kModule = "tfimm.train:";

// A registered class is the constant of its symbol, as the class is in Python.
const Type& entry_type() {
  static const Type type = [] {
    Type t{.name = "tfimm::train::ClassEntry", .kind = konfig::Kind::record, .spoken_name = {}};
    konfig::detail::set_life<ClassEntry>(t);
    return t;
  }();
  return type;
}

const ClassEntry* entry_of(const Symbol& symbol) {
  auto* object = symbol.constant ? symbol.constant->get_if<Object>() : nullptr;
  if (!object || !object->type->is(entry_type())) return nullptr;
  return static_cast<const ClassEntry*>(object->ptr.get());
}

bool same_config(const ConfigClassPtr& a, const ConfigClassPtr& b) {
  return a == b || (a && b && a->type && b->type && a->type->is(*b->type));
}

// Writes the symbol; what konfig knows of the name already, such as its constructor, stays.
void write(ClassEntry entry) {
  const std::string qualname = std::string(kModule) + entry.name;
  const Type* type = entry.cfg_class ? entry.cfg_class->type : nullptr;
  if (type && !entry.is_class && konfig::qualname_of(*type).empty()) {
    const char* const names[] = {qualname.c_str(), nullptr};
    konfig::detail::register_type(*type, {}, {}, names);
  }
  const Symbol* known = konfig::find_symbol(qualname);
  Symbol symbol = known ? *known : Symbol{.qualname = qualname};
  if (!symbol.type || entry_of(symbol)) symbol.type = type;
  symbol.constant = Object{&entry_type(), std::make_shared<ClassEntry>(std::move(entry))};
  konfig::register_symbol(std::move(symbol));
}

// "": the name is free, or was registered here before.
std::string clash(const ClassEntry& entry) {
  const ClassEntry* known = find_entry(entry.name);
  if (!known || known->place == entry.place) return "";
  // A config may serve several classes.
  const bool both_configs = !known->is_class && !entry.is_class;
  if (both_configs && same_config(known->cfg_class, entry.cfg_class)) return "";
  auto place = [](const ClassEntry& e) { return e.place.empty() ? "a place not given" : e.place; };
  return entry.name + " is registered twice: at " + place(*known) + " and at " + place(entry) +
         "; give one of them another name";
}

ClassEntry config_entry(const ClassEntry& of) {
  return {.name = of.cfg_class->name,
          .cfg_class = of.cfg_class,
          .is_class = false,
          .role = of.role,
          .interface = {},
          .place = of.place};
}

std::vector<const ClassEntry*> all_entries() {
  std::vector<const ClassEntry*> out;
  for (const Symbol* symbol : konfig::all_symbols()) {
    if (auto* entry = entry_of(*symbol)) out.push_back(entry);
  }
  return out;
}

// The names of configs that belong to a class.
std::set<std::string> configs_of_classes(const std::vector<const ClassEntry*>& all) {
  std::set<std::string> out;
  for (const ClassEntry* entry : all) {
    if (entry->is_class && entry->cfg_class) out.insert(entry->cfg_class->name);
  }
  return out;
}

std::vector<std::string> words_of(const std::string& roles) {
  std::vector<std::string> out;
  std::istringstream words(roles);
  for (std::string role; words >> role;) out.push_back(role);
  return out;
}

// "dataset" is meant for `dataset` and `train_dataset`.
bool is_meant_for(const std::string& roles, std::string_view field) {
  return std::ranges::any_of(words_of(roles), [&](const std::string& role) {
    return field == role || field.ends_with("_" + role);
  });
}

[[noreturn]] void fail_unknown(std::string_view name, const std::vector<std::string>& names) {
  const bool is_config = find_entry(name) != nullptr;
  std::string what = "no class is registered as '" + std::string(name) + "'";
  if (name.empty()) what = "no class is chosen: its name is empty";
  if (is_config) what = "'" + std::string(name) + "' is a config, and makes no objects";
  throw Error(ErrorKind::key,
              what + konfig::did_you_mean(name, names) +
                  (names.empty() ? "; none is registered"
                                 : " (registered: " + base::join(names, ", ") + ")"));
}

std::vector<std::string> all_names(bool classes_only) {
  std::vector<std::string> out;
  for (auto* entry : all_entries()) {
    if (entry->is_class || !classes_only) out.push_back(entry->name);
  }
  return out;
}

const ClassEntry& get_entry(std::string_view name, bool classes_only) {
  const ClassEntry* entry = find_entry(name);
  if (!entry || (classes_only && !entry->is_class)) fail_unknown(name, all_names(classes_only));
  if (!entry->problem.empty()) throw Error(ErrorKind::value, entry->problem);
  return *entry;
}

std::string counted(std::size_t arguments) {
  if (arguments == 0) return "its config alone";
  return std::to_string(arguments) + (arguments == 1 ? " argument" : " arguments") +
         " after its config";
}

[[noreturn]] void fail_arguments(const ClassEntry& entry, std::span<const Argument> more) {
  std::string given = counted(more.size());
  if (!more.empty()) {
    given +=
        " (" + base::join(more, ", ", [](auto& a) { return std::string(a.type_name()); }) + ")";
  }
  if (entry.arities.empty()) {
    throw Error(ErrorKind::unsupported,
                entry.name + " cannot be made: it has no constructor from a " +
                    entry.cfg_class->name + ", or does not define all that its base asks for");
  }
  throw Error(ErrorKind::type, entry.name + " is made of " + base::join_or(entry.arities, counted) +
                                   ", not of " + given);
}

}  // namespace

namespace detail {

void fail_other_type(std::string_view expected, const Erased& got, std::string_view taker) {
  const std::string who = taker.empty() ? "" : "the constructor of " + std::string(taker) + ": ";
  throw Error(ErrorKind::type, who + "expected a " + std::string(expected) + ", got a " +
                                   std::string(got.type_name));
}

}  // namespace detail

void cfg_serializable(const ClassEntry& entry) {
  if (entry.name.empty() || entry.name.find_first_of(".:") != entry.name.npos) {
    throw Error(ErrorKind::value, "'" + entry.name + "' cannot be the name of a class");
  }
  if (!entry.cfg_class) throw Error(ErrorKind::value, entry.name + " has no cfg_class");
  std::string problem = clash(entry);
  if (problem.empty() && entry.is_class) problem = clash(config_entry(entry));
  if (!problem.empty()) throw Error(ErrorKind::value, problem);
  if (entry.is_class) write(config_entry(entry));
  write(entry);
}

Made Class::make(const Any& cfg, std::span<const Argument> more) const {
  const ConfigClassPtr given = class_of(cfg.value());
  if (!same_config(given, cfg_class())) {
    throw Error(ErrorKind::type, name() + " is configured by a " + cfg_class()->name + ", not by " +
                                     (given ? "a " + given->name : "None"));
  }
  if (std::ranges::find(entry_->arities, more.size()) == entry_->arities.end()) {
    fail_arguments(*entry_, more);
  }
  return entry_->construct(cfg, more);
}

Class get_class(const std::string& name) { return Class(get_entry(name, /*classes_only=*/true)); }

ConfigClassPtr get_cfg_class(const std::string& name) {
  return get_entry(name, /*classes_only=*/false).cfg_class;
}

ConfigClassPtr get_cfg_class_for(std::string_view field, const std::string& name) {
  const ClassEntry* entry = find_entry(name);
  if (!entry) fail_unknown(name, class_names(field));
  if (!entry->role.empty() && !is_meant_for(entry->role, field)) {
    const auto names = class_names(field);
    const bool others_are = std::ranges::any_of(names, [&](const std::string& other) {
      return is_meant_for(find_entry(other)->role, field);
    });
    if (others_are) {
      throw Error(ErrorKind::type, "'" + name + "' is a class for " +
                                       base::join_or(words_of(entry->role)) + ", not for " +
                                       std::string(field) + "; choose " + base::join_or(names));
    }
  }
  return get_cfg_class(name);
}

const ClassEntry* find_entry(std::string_view name) {
  if (name.empty() || name.find(':') != name.npos) return nullptr;
  const Symbol* symbol = konfig::find_symbol(std::string(kModule) + std::string(name));
  return symbol ? entry_of(*symbol) : nullptr;
}

void check_registered() {
  for (const ClassEntry* entry : all_entries()) {
    if (!entry->problem.empty()) throw Error(ErrorKind::value, entry->problem);
  }
}

std::vector<std::string> class_names(std::string_view field) {
  const auto all = all_entries();
  const auto of_classes = configs_of_classes(all);
  std::vector<std::string> meant, others;
  for (const ClassEntry* entry : all) {
    if (!entry->problem.empty()) continue;
    if (!entry->is_class && of_classes.contains(entry->name)) continue;
    if (entry->role.empty()) {
      others.push_back(entry->name);
    } else if (is_meant_for(entry->role, field)) {
      meant.push_back(entry->name);
    }
  }
  return meant.empty() ? others : meant;
}

namespace detail {

bool add_at_start(ClassEntry entry, ConfigClassPtr (*describe)()) {
  try {
    entry.cfg_class = describe();
    cfg_serializable(entry);
  } catch (const Error& e) {
    // Whoever uses the name hears of it; the earlier one is not to be trusted either.
    const ClassEntry* known = find_entry(entry.name);
    ClassEntry marked = known ? *known : entry;
    marked.problem = e.what();
    write(std::move(marked));
  }
  return true;
}

}  // namespace detail
}  // namespace tfimm::train
