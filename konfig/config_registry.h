// Config functions: what a config file gives to the program that loads it.
//
//   static Config<train::Trainer> get_config() {...}   // or get_config(const Args&), Args a struct
//   KONFIG_EXPORT(get_config)                          // found by the loader of shared libraries
//
// A program that has the config compiled in finds it by a name:
//
//   KONFIG_CONFIG("mnist", get_config);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "konfig/config.h"

namespace konfig {

struct ConfigEntry {
  const Type* args = nullptr;  // nullptr: get_config takes none
  // The lowered config. `args`: a dict of the fields to set; None: all defaults.
  ConfigDict (*make)(const Value& args) = nullptr;
  const char* build_id = nullptr;  // of the compiler and the library: compare with kBuildId
};

// Tables cross the border between program and config file, so both must agree on their layout.
inline constexpr const char* kBuildId = "konfig 1; " __VERSION__;

// The symbol KONFIG_EXPORT defines: `extern "C" const ConfigEntry* konfig_config_entry()`.
inline constexpr const char* kEntrySymbol = "konfig_config_entry";
using EntryFunction = const ConfigEntry* (*)();

bool register_config(std::string name, const ConfigEntry& entry);
const ConfigEntry* find_config(std::string_view name);  // nullptr when unknown
std::vector<std::string> all_configs();                 // sorted

namespace detail {

void load_config_args(const Type& type, void* out, const Value& args);
void refuse_config_args(const Value& args);

inline ConfigDict lower_result(const ConfigDict& config) { return config; }
template <class T>
ConfigDict lower_result(const Config<T>& config) {
  return lower(config);
}

template <auto Function>
struct EntryOf;
template <class R, R (*Function)()>
struct EntryOf<Function> {
  static ConfigDict make(const Value& args) {
    refuse_config_args(args);
    return lower_result(Function());
  }
  static ConfigEntry entry() { return {nullptr, &make, kBuildId}; }
};
template <class R, class A, R (*Function)(const A&)>
struct EntryOf<Function> {
  static ConfigDict make(const Value& args) {
    A loaded{};
    load_config_args(type_of<A>(), &loaded, args);
    return lower_result(Function(loaded));
  }
  static ConfigEntry entry() { return {&type_of<A>(), &make, kBuildId}; }
};

}  // namespace detail
}  // namespace konfig

#define KONFIG_CONFIG(name, function) \
  KONFIG_RUN(konfig::register_config(name, konfig::detail::EntryOf<&function>::entry()))

// A file that is compiled into a program, not loaded, is known there by the name its build gives.
#ifdef KONFIG_BUILTIN_NAME
#define KONFIG_EXPORT(function) KONFIG_CONFIG(KONFIG_BUILTIN_NAME, function);
#else
#define KONFIG_EXPORT(function)                                                           \
  extern "C" __attribute__((visibility("default"))) const konfig::ConfigEntry*            \
  konfig_config_entry() {                                                                 \
    static const konfig::ConfigEntry entry = konfig::detail::EntryOf<&function>::entry(); \
    return &entry;                                                                        \
  }
#endif
