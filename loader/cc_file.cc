// Configs in C++: compiled, loaded, asked for their config.
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "base/field_docs.h"
#include "base/file.h"
#include "konfig/config_registry.h"
#include "konfig/docs.h"
#include "konfig/sweep.h"
#include "loader/cc_locations_impl.h"
#include "loader/compile_impl.h"
#include "loader/crash_impl.h"
#include "loader/engine.h"
#include "loader/locations.h"
#include "loader/needs_engine_impl.h"
#include "loader/sources_impl.h"

namespace loader {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

EngineLoader engine_loader = nullptr;

struct Opened {
  std::string library;
  void* handle;
};

struct Module {
  std::string library;  // owner of its sweeps
  const konfig::ConfigEntry* entry;
};

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : symbol;
}

// Never closed: types and functions of the file stay registered. Empty with the reason in `error`.
void* open_library(const std::string& file, const std::string& library, std::string& error) {
  const konfig::SweepOwner owner(library);
  const CrashReport report(file, "its global variables");
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) error = ::dlerror();
  if (!handle && engine_loader && library_needs_engine(library)) {
    engine_loader();
    engine_loader = nullptr;
    handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) error = ::dlerror();
  }
  return handle;
}

// The comments of the file's structs and of those that it includes, for help texts.
void register_docs(const std::string& file, const Compiled& compiled) {
  static auto* const by_library = new std::map<std::string, std::vector<base::StructDocs>>;
  auto [entry, is_new] = by_library->try_emplace(compiled.library);
  if (!is_new) return;
  auto& docs = entry->second;  // konfig keeps views of them
  std::vector<fs::path> sources = compiled.sources;
  if (sources.empty()) sources.emplace_back(file);  // compiled beside its copy
  for (const fs::path& source : sources) {
    const auto text = base::try_read_file(source);
    if (text) std::ranges::move(base::scan_docs(*text), std::back_inserter(docs));
  }
  for (const base::StructDocs& type : docs) {
    for (auto& [field, doc] : type.docs) konfig::register_field_docs(type.name, {{field, doc}});
  }
}

// What is missing, by its name in C++; of a component, how a file makes it.
std::string say_missing(const std::string& symbol) {
  const std::string name = demangled(symbol);
  const std::string before = "konfig::type_of<";
  const auto at = name.find(before);
  if (at == name.npos) return name + " is declared but not defined";
  const std::string type = name.substr(at + before.size(), name.rfind('>') - at - before.size());
  return type +
         " is declared as a component, which belongs in a header; in a file.cc write "
         "KD_COMPONENT(Interface, " +
         type + ")";
}

// Compiles the file, or finds it compiled, and opens it.
Opened open_file(const std::string& file) {
  std::string error;
  auto compiled = compile(file);
  void* handle = open_library(file, compiled.library, error);
  if (!handle && compiled.cached && missing_symbols(compiled.library).empty()) {
    // Removed or damaged since it was looked up.
    compiled = compile(file, /*fresh=*/true);
    handle = open_library(file, compiled.library, error);
  }
  if (!handle) {
    const auto missing = missing_symbols(compiled.library);
    const auto reason = missing.empty() ? error : say_missing(missing.front());
    throw Error(ErrorKind::value, file + ": compiles, but cannot be loaded: " + reason);
  }
  register_docs(file, compiled);
  return {compiled.library, handle};
}

Module open_module(const std::string& file) {
  const auto [library, handle] = open_file(file);
  auto* function = reinterpret_cast<konfig::EntryFunction>(::dlsym(handle, konfig::kEntrySymbol));
  if (!function) {
    throw Error(ErrorKind::value,
                file + ": defines no config; end it with KONFIG_EXPORT(get_config)");
  }
  auto* entry = function();
  if (std::strcmp(entry->build_id, konfig::kBuildId) != 0) {
    throw Error(ErrorKind::value, file + ": was compiled with '" + entry->build_id +
                                      "', this program with '" + konfig::kBuildId +
                                      "'; use the same compiler (KD_CXX)");
  }
  return {library, entry};
}

// Runs code of the file. Its own errors are told with the file's name.
template <class Function>
auto call(const std::string& file, const char* what, Function function) {
  const CrashReport report(file, std::string(what) + "()");
  try {
    return function();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(ErrorKind::value, file + ": " + what + " failed: " + e.what());
  }
}

}  // namespace

void set_engine_loader(EngineLoader load_engine) { engine_loader = load_engine; }

void open_cc_file(const std::string& file) { open_file(file); }

konfig::ConfigDict load_cc_file(const Request& request) {
  const auto module = open_module(request.source);
  const auto arguments = arguments_of(request, module.entry->args);
  if (request.locate) {
    const auto text = base::try_read_file(request.source);
    set_locations(cc_locations(text.value_or(""), request.source));
  }
  return call(request.source, "get_config", [&] { return module.entry->make(arguments); });
}

Sweeps cc_file_sweeps(const Request& request, const WantedSweeps& wanted) {
  const auto module = open_module(request.source);
  Sweeps out;
  for (auto& [name, function] : konfig::find_sweeps(module.library)) {
    out[name] = wanted.contain(name) ? called_sweep([&, f = function, &name = name] {
      return call(request.source, name.c_str(), [f] { return f(); });
    })
                                     : Sweep();
  }
  return out;
}

std::vector<ConfigFile> cc_file_files(const Request& request) {
  const fs::path config = fs::absolute(request.source).lexically_normal();
  const Compiled compiled = compile(request.source);
  // The folder that holds all of them.
  fs::path root = config.parent_path();
  for (const fs::path& source : compiled.sources) {
    while (!source.lexically_normal().string().starts_with((root / "").string()) &&
           root.has_relative_path()) {
      root = root.parent_path();
    }
  }
  auto named = [&](const fs::path& file) { return file.lexically_relative(root).string(); };
  std::vector<ConfigFile> out = {{named(config), config}};
  for (const fs::path& source : compiled.sources) {
    const fs::path file = source.lexically_normal();
    if (file != config) out.push_back({named(file), file});
  }
  const auto text = base::try_read_file(config);
  out.push_back({named(kept_library(config, text.value_or(""))), compiled.library});
  return out;
}

}  // namespace loader
