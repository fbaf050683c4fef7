// launch.yaml.
#include "kxm/settings.h"

#include <cstdlib>
#include <utility>

#include "base/file.h"
#include "base/join.h"
#include "konfig/error.h"
#include "konfig/suggest.h"
#include "konfig/value.h"
#include "konfig/yaml.h"
#include "kxm/requirements.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

const Dict& mapping(const Value& value, const std::string& what) {
  if (auto* dict = value.get_if<Dict>()) return *dict;
  throw Error(ErrorKind::type, "expected " + what + ", found " + std::string(value.type_name()));
}

std::string key_of(const Value& key) {
  if (auto* text = key.get_if<std::string>()) return *text;
  throw Error(ErrorKind::type, "the key " + key.repr() + " is not a text; write it in quotes");
}

std::string text_of(const Value& value) {
  if (auto* text = value.get_if<std::string>()) return *text;
  throw Error(ErrorKind::type, "expected a text, found " + std::string(value.type_name()));
}

std::vector<std::string> lines_of(const Value& value) {
  if (auto* text = value.get_if<std::string>()) return {*text};
  auto* list = value.get_if<konfig::List>();
  if (!list) {
    throw Error(ErrorKind::type,
                "expected a list of lines, found " + std::string(value.type_name()));
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < list->size(); ++i) {
    try {
      out.push_back(text_of((*list)[i]));
    } catch (const Error& error) {
      throw error.within("[" + std::to_string(i) + "]");
    }
  }
  return out;
}

// Calls `take(key, value)` for each entry; it returns whether it knows the key.
template <class Take>
void each(const Value& value, const std::string& what, const std::vector<std::string>& known,
          const Take& take) {
  for (auto& [k, v] : mapping(value, what)) {
    const std::string key = key_of(k);
    bool taken = false;
    try {
      taken = take(key, v);
    } catch (const Error& error) {
      throw error.within(key);
    }
    if (taken) continue;
    throw Error(ErrorKind::key, "unknown key '" + key + "'" + konfig::did_you_mean(key, known) +
                                    "; known are " + base::join(known, ", "));
  }
}

Place place_from(const Value& value) {
  Place out;
  each(value, "a mapping", {"partition", "account", "qos", "setup"},
       [&](const std::string& key, const Value& v) {
         if (key == "partition") return out.partition = text_of(v), true;
         if (key == "account") return out.account = text_of(v), true;
         if (key == "qos") return out.qos = text_of(v), true;
         if (key == "setup") return out.setup = lines_of(v), true;
         return false;
       });
  return out;
}

}  // namespace

std::string no_such_place(const std::string& name, const std::vector<std::string>& known) {
  return "there is no place '" + name + "' in launch.yaml" +
         (known.empty()
              ? "; add it under `places:`"
              : konfig::did_you_mean(name, known) + "; there is " + base::join(known, ", "));
}

const Place& Settings::place(const std::string& name) const {
  if (auto found = places.find(name); found != places.end()) return found->second;
  std::vector<std::string> names;
  for (auto& [known, place] : places) names.push_back(known);
  throw Error(ErrorKind::key, no_such_place(name, names));
}

namespace {

Settings settings_from(const Value& all) {
  Settings out;
  if (all.is_none()) return out;  // only comments
  each(all, "a mapping with the keys places, platforms and gpus", {"places", "platforms", "gpus"},
       [&](const std::string& key, const Value& value) {
         if (value.is_none()) return key == "places" || key == "platforms" || key == "gpus";
         if (key == "places") {
           each(value, "a mapping of names to places", {},
                [&](const std::string& name, const Value& v) {
                  out.places[name] = place_from(v);
                  return true;
                });
           return true;
         }
         if (key == "platforms") {
           each(value, "a mapping of names", {}, [&](const std::string& name, const Value& v) {
             Requirements known;
             add_platform(known, text_of(v));  // an Error, if there is no such platform
             out.platforms[name] = text_of(v);
             return true;
           });
           return true;
         }
         if (key == "gpus") {
           each(value, "a mapping of names", {}, [&](const std::string& name, const Value& v) {
             out.gpus[name] = text_of(v);
             return true;
           });
           return true;
         }
         return false;
       });
  return out;
}

}  // namespace

Settings parse_settings(std::string_view yaml) {
  try {
    return settings_from(konfig::parse_yaml(yaml));
  } catch (const Error& error) {
    // Not a place in a config.
    const std::string& path = error.path();
    throw Error(error.kind(), (path.empty() ? "" : path + ": ") + error.message());
  }
}

std::vector<fs::path> settings_files(const fs::path& folder) {
  std::vector<fs::path> out;
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  fs::path user;
  if (config && *config == '/') {
    user = fs::path(config) / "kauldron/launch.yaml";
  } else if (home) {
    user = fs::path(home) / ".config/kauldron/launch.yaml";
  }
  std::error_code error;
  for (const fs::path& file : {user, folder / "launch.yaml"}) {
    if (!file.empty() && fs::exists(file, error)) out.push_back(file);
  }
  return out;
}

Settings read_settings(const fs::path& folder) {
  Settings out;
  for (const fs::path& file : settings_files(folder)) {
    try {
      Settings read = parse_settings(base::read_file(file));
      for (auto& [name, place] : read.places) out.places[name] = std::move(place);
      for (auto& [name, called] : read.platforms) out.platforms[name] = std::move(called);
      for (auto& [name, called] : read.gpus) out.gpus[name] = std::move(called);
    } catch (const Error& error) {
      throw Error(error.kind(), file.string() + ": " + error.what());
    }
  }
  return out;
}

}  // namespace kxm
