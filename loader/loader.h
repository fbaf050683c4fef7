// Loading configs: one function, five kinds of source, the same ConfigDict out.
//
//   ConfigDict cfg = load({.source = "mnist_autoencoder"});        // compiled in
//   ConfigDict cfg = load({.source = "my_config.cc"});             // compiled, cached, loaded
//   ConfigDict cfg = load({.source = "config.json"});              // also .yaml, .yml
//   ConfigDict cfg = load({.source = "config.py"});                // a Kauldron config file
//
// The source "-" is JSON or YAML from standard input.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flags/config_args.h"
#include "konfig/error.h"
#include "konfig/value.h"

namespace loader {

struct Request {
  std::string source;                              // a name or a file
  std::string args = "";                           // the text after ':' as typed: "size=3,name=x"
  std::vector<flags::ConfigArg> config_args = {};  // arguments of get_config by name; these win
  // Given the config, override paths to values. They are not applied; functions in config.py files
  // that compute fields from others (konfig.ref_fn) cannot be called later and need to know them.
  std::function<konfig::Dict(const konfig::ConfigDict&)> overrides = {};
  bool locate = false;  // remember where nodes were made (loader/locations.h)
};

konfig::ConfigDict load(const Request& request);

// The config that one set of arguments of get_config gives.
struct Loaded {
  konfig::ConfigDict config = {};
  std::optional<konfig::Error> error = {};  // why there is none
};
// One for each set, which is added to the arguments of the request. For a config.py this takes a
// fraction of the time of so many calls of `load`.
std::vector<Loaded> load_each(const Request& request,
                              const std::vector<std::vector<flags::ConfigArg>>& sets);

// Whether a source is C++ and so may define types of its own: "my_config.cc", also .cpp and .cxx.
bool is_cc_file(const std::string& source);

// Loads a C++ file for the types and classes that it registers; it needs no get_config.
void load_types(const std::string& file);

// One item of a sweep: override paths to values.
using SweepItem = konfig::Dict;
// What one sweep function gave.
struct Sweep {
  std::vector<SweepItem> items = {};
  std::optional<konfig::Error> error = {};  // what it threw instead
};
using Sweeps = std::map<std::string, Sweep>;  // by name: "sweep", "sweep_lr"

// The sweeps that a source defines. Only those of `wanted` are called, all if it is empty; the
// others are there without items. One that fails leaves the others as they are.
Sweeps load_sweeps(const Request& request, const std::vector<std::string>& wanted = {});
// The same for one: its items, or its Error.
const std::vector<SweepItem>& items_of(const Sweep& sweep);

// Names of the compiled-in configs.
std::vector<std::string> names();

}  // namespace loader
