// The five kinds of sources behind loader.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "loader/config_files.h"
#include "loader/loader.h"

namespace loader {

// The sweep functions that load_sweeps is to call.
struct WantedSweeps {
  const std::vector<std::string>& names;  // empty: all
  bool contain(const std::string& name) const;
};
// The request with one of several sets of arguments.
Request with_args(const Request& request, const std::vector<flags::ConfigArg>& args);

// What a sweep function gives, or why it failed.
template <class Function>
Sweep called_sweep(const Function& function) {
  try {
    return {.items = function()};
  } catch (const konfig::Error& e) {
    return {.error = e};
  }
}

// A name compiled into the program.
konfig::ConfigDict load_builtin(const Request& request);
Sweeps builtin_sweeps(const Request& request, const WantedSweeps& wanted);

// .json, .yaml, .yml; "-" is standard input, JSON where it starts with '{', else YAML.
konfig::ConfigDict load_data_file(const Request& request);

// file.cc
void open_cc_file(const std::string& file);
konfig::ConfigDict load_cc_file(const Request& request);
Sweeps cc_file_sweeps(const Request& request, const WantedSweeps& wanted);
std::vector<ConfigFile> cc_file_files(const Request& request);

// config.py
konfig::ConfigDict load_py_file(const Request& request);
std::vector<Loaded> load_py_file_each(const Request& request,
                                      const std::vector<std::vector<flags::ConfigArg>>& sets);
Sweeps py_file_sweeps(const Request& request, const WantedSweeps& wanted);
std::vector<ConfigFile> py_file_files(const Request& request);

// What a C++ get_config takes: its arguments by name, None without any. `type` has their fields.
konfig::Value arguments_of(const Request& request, const konfig::Type* type);

}  // namespace loader
