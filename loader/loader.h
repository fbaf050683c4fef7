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
#include <string>
#include <string_view>
#include <vector>

#include "flags/config_args.h"
#include "konfig/value.h"

namespace loader {

struct Request {
  std::string source;                              // a name or a file
  std::string args = "";                           // the text after ':' as typed: "size=3,name=x"
  std::vector<flags::ConfigArg> config_args = {};  // arguments of get_config by name; these win
  // Given the config, override paths to values. They are not applied; functions in config.py files
  // that compute fields from others (konfig.ref_fn) cannot be called later and need to know them.
  std::function<konfig::Dict(const konfig::ConfigDict&)> overrides = {};
};

konfig::ConfigDict load(const Request& request);

// Whether a source is C++ and so may define types of its own: "my_config.cc", also .cpp and .cxx.
bool is_cc_file(const std::string& source);

// Loads a C++ file for the types and classes that it registers; it needs no get_config.
void load_types(const std::string& file);

// One item of a sweep: override paths to values.
using SweepItem = konfig::Dict;
// The sweeps a source defines, by name: "sweep", "sweep_lr".
std::map<std::string, std::vector<SweepItem>> load_sweeps(const Request& request);

// Names of the compiled-in configs.
std::vector<std::string> names();

}  // namespace loader
