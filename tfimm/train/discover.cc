// Discovery of flags through the classes chosen.
#include "tfimm/train/discover_impl.h"

#include <algorithm>
#include <array>

#include "base/join.h"
#include "konfig/suggest.h"
#include "tfimm/train/formats.h"
#include "tfimm/train/registry.h"
#include "tfimm/train/values_impl.h"

namespace tfimm::train::detail {

using konfig::Error;
using konfig::ErrorKind;

namespace {

std::string join(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

// What one source gives at a place, and the class that it took the place for.
struct Source {
  const Given* given = nullptr;
  ConfigClassPtr cls = nullptr;  // nullptr: none was chosen yet
};
// Defaults, code, file: by increasing weight.
using Sources = std::array<Source, 3>;

struct Level {
  std::string path;
  ConfigClassPtr cls;
  std::string origin;  // for errors; "": the outermost class
  Sources sources;
  // The classes around that were chosen by default, without a word of the user between them.
  std::vector<std::string> by_default = {};
};

bool same_kind(const Field& a, const Field& b) {
  return a.type == b.type || (a.type == FieldType::integer && b.type == FieldType::floating);
}

// Does what a source gives for a field reach the class of the level? Each class on the way, from
// the one that the source took the place for, has to have the field, too.
bool carries_over(const Level& level, std::size_t source, const std::string& field) {
  ConfigClassPtr now = level.sources[source].cls;
  for (std::size_t i = source + 1; i <= level.sources.size(); ++i) {
    const ConfigClassPtr& next = i < level.sources.size() ? level.sources[i].cls : level.cls;
    if (now && next != now) {
      const Field *old = now->find(field), *same = next ? next->find(field) : nullptr;
      if (!next || (old && (!same || !same_kind(*old, *same)))) return false;
    }
    now = next;
  }
  return true;
}

std::optional<std::string> default_class(const ConfigClass& cls, const std::string& name) {
  const Field* field = cls.find(name);
  if (!field || !field->default_value) return std::nullopt;
  auto* text = field->default_value->get_if<std::string>();
  return text ? *text : "";
}

class Discovery {
 public:
  Discovery(const Flags& flags) : flags_(flags) {}
  Found found;

  Value fill(const Level& level) {
    // The lightest first: what stands in code is reported before what stands in the file.
    for (const Source& source : level.sources) check_keys(level, source);
    Dict out;
    for (const Field& field : level.cls->fields) {
      if (level.cls->class_field(field)) continue;  // with its class
      if (const Field* x = level.cls->chosen_by(field)) {
        choose(level, field, *x, out);
      } else if (field.type == FieldType::config) {
        out.set(field.name, fixed(level, field));
      } else {
        leaf(level, field, out);
      }
    }
    return build(level, out);
  }

 private:
  // ---- Errors.

  // `where` is the file's line, "in code", or "" for a flag.
  void fail(const Error& e, const std::string& place, const Level& level,
            const std::string& where) {
    const bool in_code = where.find(", line ") == where.npos;
    std::string more = in_code ? where : "";
    if (!level.origin.empty()) more += (more.empty() ? "" : "; ") + level.origin;
    const std::string at = konfig::join_path(place, e.path());
    found.errors.emplace_back(e.kind(), (in_code ? "" : where + ": ") + at + ": " + e.message() +
                                            (more.empty() ? "" : " (" + more + ")"));
  }

  void check_keys(const Level& level, const Source& source) {
    if (!source.given) return;
    for (const std::string& key : source.given->keys) {
      if (level.cls->find(key)) continue;
      // Of a class that another source switched away from.
      if (source.cls && source.cls != level.cls && source.cls->find(key)) continue;
      std::vector<std::string> known;
      for (const Field& field : level.cls->fields) known.push_back(field.name);
      fail(Error(ErrorKind::key, level.cls->name + " has no field '" + key + "'" +
                                     konfig::did_you_mean(key, known)),
           join(level.path, key), level, source.given->find(key)->where);
    }
  }

  // ---- Values.

  // What a source gives for a field; nullptr: nothing, or for a class that was switched away.
  static const Given* given_at(const Level& level, std::size_t source, const Field& field) {
    const Given* given = level.sources[source].given;
    const Given* found = given ? given->find(field.name) : nullptr;
    return found && carries_over(level, source, field.name) ? found : nullptr;
  }

  // What file, code or defaults give, the heaviest one.
  std::optional<Value> otherwise(const Level& level, const Field& field) {
    for (std::size_t i = level.sources.size(); i-- > 0;) {
      if (const Given* given = given_at(level, i, field)) return read(level, field, *given);
    }
    if (!field.default_value) return std::nullopt;
    try {
      return fit(field, *field.default_value);
    } catch (const Error& e) {
      fail(e, join(level.path, field.name), level, "the default of " + level.cls->name);
      return Value();
    }
  }

  Value read(const Level& level, const Field& field, const Given& given) {
    // A value that the command line replaces need not fit.
    const bool replaced = flags_.find(join(level.path, field.name)) != nullptr;
    try {
      return given.read(field);
    } catch (const Error& e) {
      if (!replaced) fail(e, join(level.path, field.name), level, given.where);
      return given.is_map ? Value() : given.untyped();
    }
  }

  std::optional<Value> from_flag(const Level& level, const Field& field) {
    const std::string name = join(level.path, field.name);
    const Word* word = flags_.find(name);
    if (!word) return std::nullopt;
    if (!word->value) {
      fail(Error(ErrorKind::value, "expects a value, " + words(field) + ": --" + name + "=..."),
           "--" + name, level, "");
      return Value();
    }
    try {
      return read_text(field, *word->value);
    } catch (const Error& e) {
      fail(e, "--" + name, level, "");
      return Value();
    }
  }

  void leaf(const Level& level, const Field& field, Dict& out) {
    const auto without = otherwise(level, field);
    add_flag(level, field, without);
    auto value = from_flag(level, field);
    if (!value) value = without;
    if (!value) return add_missing(level, field);
    out.set(field.name, *std::move(value));
  }

  void add_flag(const Level& level, const Field& field, const std::optional<Value>& without,
                const Field* chooses = nullptr) {
    // Of a class, what it is for is said beside its config.
    std::string doc = chooses ? doc_of(*level.cls, *chooses) : "";
    if (doc.empty()) doc = doc_of(*level.cls, field);
    found.flags.push_back({.name = join(level.path, field.name),
                           .field = field,
                           .doc = doc,
                           .chooses = chooses ? chooses->name : "",
                           .otherwise = without});
  }

  void add_missing(const Level& level, const Field& field) {
    found.missing.push_back("--" + join(level.path, field.name) + " (" + type_name(field) +
                            (level.origin.empty() ? "" : "; " + level.origin) + ")");
  }

  // ---- Nested configs.

  // A field that is a struct: its class is known.
  Value fixed(const Level& level, const Field& field) {
    Level below{.path = join(level.path, field.name), .cls = field.config, .origin = level.origin};
    const Maps maps = maps_at(level, field);
    for (std::size_t i = 0; i < maps.size(); ++i) below.sources[i] = {maps[i], field.config};
    return fill(below);
  }

  // The map at a field; what is neither map nor None is an error.
  const Given* map_at(const Level& level, std::size_t source, const Field& x) {
    const Given* given = given_at(level, source, x);
    if (!given || given->is_none()) return nullptr;
    if (given->is_map) return given;
    fail(Error(ErrorKind::type, "expected a map of fields, got " + given->untyped().repr()),
         join(level.path, x.name), level, given->where);
    return nullptr;
  }

  const Given* keep(std::unique_ptr<Given> given) {
    kept_.push_back(std::move(given));
    return kept_.back().get();
  }

  // What each source gives for the fields of a nested config. None takes back what lighter sources
  // gave.
  using Maps = std::array<const Given*, 3>;
  Maps maps_at(const Level& level, const Field& x) {
    Maps out = {};
    if (has_default_config(x)) out[0] = keep(given_in_code(fields_of(*x.default_value)));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Given* given = given_at(level, i, x);
      if (!given) continue;
      if (given->is_none()) out = {};
      out[i] = map_at(level, i, x);
    }
    return out;
  }

  // A default that is a config, beside the name of its class.
  static bool has_default_config(const Field& x) {
    return x.default_value && class_of(*x.default_value);
  }

  struct Choice {
    std::optional<std::string> name;  // nothing: no source chooses
    std::string by;                   // who did
    std::array<std::string, 3> seen;  // what each source takes the class for; "": none
    bool by_default = false;
  };

  // Without the command line.
  Choice choice_of_sources(const Level& level, const Field& x_class) {
    Choice out;
    for (std::size_t i = 0; i < level.sources.size(); ++i) {
      const Source& source = level.sources[i];
      if (const Given* given = given_at(level, i, x_class)) {
        out.name = class_name(level, x_class, *given);
        out.by = given->where;
      }
      const ConfigClass& cls = source.cls ? *source.cls : *level.cls;
      out.seen[i] = out.name ? *out.name : default_class(cls, x_class.name).value_or("");
    }
    if (!out.name) {
      out.name = default_class(*level.cls, x_class.name);
      out.by = "the default of " + level.cls->name + "." + x_class.name;
      out.by_default = true;
    }
    return out;
  }

  std::string class_name(const Level& level, const Field& x_class, const Given& given) {
    if (given.is_none()) return "";
    try {
      Field text{.name = x_class.name, .type = FieldType::text};
      return given.read(text).as<std::string>();
    } catch (const Error& e) {
      if (!flags_.find(join(level.path, x_class.name))) {
        fail(Error(e.kind(), "expected the name of a class, got " +
                                 (given.is_map ? "a map" : str(given.untyped()))),
             join(level.path, x_class.name), level, given.where);
      }
      return "";
    }
  }

  void choose(const Level& level, const Field& x_class, const Field& x, Dict& out) {
    const std::string name = join(level.path, x_class.name);
    Choice choice = choice_of_sources(level, x_class);
    add_flag(level, x_class, choice.name ? std::optional<Value>(*choice.name) : std::nullopt, &x);
    if (auto value = from_flag(level, x_class)) {
      auto* text = value->get_if<std::string>();
      choice.name = text ? *text : "";
      choice.by = "--" + name + "=" + *choice.name;
      choice.by_default = false;
    }
    if (!choice.name) {
      found.chosen[join(level.path, x.name)] = {.by = "--" + name};
      return add_missing(level, x_class);
    }
    out.set(x_class.name, *choice.name);
    out.set(x.name, choice.name->empty() ? none(level, x, choice) : chosen(level, x, choice));
  }

  // No class: what the sources give must belong to one that was switched away.
  Value none(const Level& level, const Field& x, const Choice& choice) {
    const std::string path = join(level.path, x.name);
    found.chosen[path] = {.by = "--" + path + "_class"};
    for (std::size_t i = 0; i < level.sources.size(); ++i) {
      const Given* given = map_at(level, i, x);
      if (!given) continue;
      const ClassEntry* entry = find_entry(choice.seen[i]);
      for (const std::string& key : given->keys) {
        if (entry && entry->cfg_class && entry->cfg_class->find(key)) continue;
        fail(
            Error(ErrorKind::key, "given, but " + path + "_class is empty; choose a class with --" +
                                      path + "_class=NAME"),
            join(path, key), level, given->find(key)->where);
      }
    }
    return {};
  }

  Value chosen(const Level& level, const Field& x, const Choice& choice) {
    Level below{.path = join(level.path, x.name), .cls = nullptr, .origin = ""};
    Chosen& about = found.chosen[below.path];
    about.by = choice.by;
    try {
      about.cls = get_cfg_class_for(x.name, *choice.name);
    } catch (const Error& e) {
      about.unknown = true;
      const bool flag = choice.by.starts_with("--");
      fail(e, (flag ? "--" : "") + below.path + "_class", level, flag ? "" : choice.by);
      return {};
    }
    if (choice.by_default) {
      below.by_default = level.by_default;
      const auto& around = below.by_default;
      if (std::find(around.begin(), around.end(), about.cls->name) != around.end()) {
        fail(Error(ErrorKind::cycle, about.cls->name + " contains itself by default, without end"),
             below.path + "_class", level, choice.by);
        return {};
      }
      below.by_default.push_back(about.cls->name);
    }
    below.cls = about.cls;
    below.origin = origin(about);
    set_sources(level, x, choice, below);
    return fill(below);
  }

  void set_sources(const Level& level, const Field& x, const Choice& choice, Level& below) {
    const Maps maps = maps_at(level, x);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const ClassEntry* entry = find_entry(choice.seen[i]);
      below.sources[i] = {maps[i], entry ? entry->cfg_class : nullptr};
    }
    const Given* defaults = level.sources[0].given;
    if (has_default_config(x) && !(defaults && defaults->find(x.name))) {
      below.sources[0].cls = class_of(*x.default_value);
    }
  }

  Value build(const Level& level, const Dict& fields) {
    if (!found.errors.empty() || !found.missing.empty()) return {};
    if (level.cls->name.empty()) return in_order(*level.cls, fields);  // of a plain map
    try {
      return make_object(level.cls, fields);
    } catch (const Error& e) {
      fail(e, level.path, level, "");
      return {};
    }
  }

  static Value in_order(const ConfigClass& cls, const Dict& fields) {
    Dict out;
    for (const Field& field : cls.fields) out.set(field.name, fields.at(field.name));
    return out;
  }

  const Flags& flags_;
  std::vector<std::unique_ptr<Given>> kept_;
};

// ---- Plain maps.

Field field_of(const std::string& key, const Given& given) {
  if (given.is_map) {
    throw Error(ErrorKind::value, key + ": a map inside a config needs '" + key +
                                      "_class' beside it, the name of its class (" + given.where +
                                      ")");
  }
  const Value value = given.untyped();
  return {.name = key, .type = type_of_value(value), .nullable = true, .open = true};
}

void add_keys(const Given& source, const Given* other, std::vector<Field>& fields) {
  auto has = [&](const std::string& key) {
    return source.find(key) || (other && other->find(key)) ||
           std::any_of(fields.begin(), fields.end(), [&](auto& f) { return f.name == key; });
  };
  for (const std::string& key : source.keys) {
    if (std::any_of(fields.begin(), fields.end(), [&](auto& f) { return f.name == key; })) continue;
    if (key.ends_with(kClassSuffix)) {
      fields.push_back({.name = key, .type = FieldType::text});
      const std::string stem = key.substr(0, key.size() - kClassSuffix.size());
      if (!has(stem)) fields.push_back({.name = stem, .type = FieldType::any, .nullable = true});
    } else if (has(key + std::string(kClassSuffix))) {
      fields.push_back({.name = key, .type = FieldType::any, .nullable = true});
    } else {
      fields.push_back(field_of(key, *source.find(key)));
    }
  }
}

}  // namespace

std::string origin(const Chosen& chosen) {
  const bool is_default = chosen.by.starts_with("the default");
  return chosen.cls->name + (is_default ? ", " : ", chosen ") +
         (chosen.by.starts_with("--")                  ? "by "
          : is_default || chosen.by.starts_with("in ") ? ""
                                                       : "in ") +
         chosen.by;
}

ConfigClassPtr class_of_map(const Given& code, const Given* file) {
  std::vector<Field> fields;
  add_keys(code, file, fields);
  if (file) add_keys(*file, &code, fields);
  return make_config_class("", std::move(fields));
}

Found discover(const ConfigClassPtr& cls, const Given& code, const Given* file,
               const Flags& flags) {
  Discovery discovery(flags);
  Level top{.path = "", .cls = cls, .origin = ""};
  top.sources = {Source{nullptr, cls}, Source{&code, cls}, Source{file, cls}};
  discovery.found.config = discovery.fill(top);
  return std::move(discovery.found);
}

}  // namespace tfimm::train::detail
