#include "loader/loader.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "konfig/config_registry.h"
#include "loader/sources_impl.h"
#include "loader/subprocess_impl.h"

namespace loader {
namespace {

using konfig::Error;
using konfig::ErrorKind;

enum class Kind { builtin, data, cc, py };

Kind kind_of(const std::string& source) {
  if (source.empty()) {
    throw Error(ErrorKind::value, "no config given; name one: --cfg=NAME or --cfg=FILE");
  }
  if (source == "-") return Kind::data;
  const auto extension = std::filesystem::path(source).extension().string();
  if (extension == ".json" || extension == ".yaml" || extension == ".yml") return Kind::data;
  if (is_cc_file(source)) return Kind::cc;
  if (extension == ".py") return Kind::py;
  std::error_code error;
  const bool names_file = source.find('/') != source.npos || std::filesystem::exists(source, error);
  if (names_file && !konfig::find_config(source)) {
    throw Error(ErrorKind::value, source +
                                      ": a config is a .cc, .py, .json or .yaml file, or the "
                                      "name of one in this program");
  }
  return Kind::builtin;
}

ConfigFile alone(const std::filesystem::path& file) {
  return {.name = file.filename().string(), .source = std::filesystem::absolute(file)};
}

// Temporary files are gone when this sees the signal.
template <class Function>
auto stop_on_signal(Function function) {
  try {
    return function();
  } catch (const Interrupted& e) {
    std::raise(e.signal);
    throw Error(ErrorKind::value, "interrupted");  // somebody handles the signal
  }
}

}  // namespace

bool is_cc_file(const std::string& source) {
  const auto extension = std::filesystem::path(source).extension().string();
  return extension == ".cc" || extension == ".cpp" || extension == ".cxx";
}

konfig::ConfigDict load(const Request& request) {
  const auto kind = kind_of(request.source);
  return stop_on_signal([&] {
    switch (kind) {
      case Kind::data:
        return load_data_file(request);
      case Kind::cc:
        return load_cc_file(request);
      case Kind::py:
        return load_py_file(request);
      case Kind::builtin:
        break;
    }
    return load_builtin(request);
  });
}

void load_types(const std::string& file) {
  if (!is_cc_file(file)) {
    throw Error(ErrorKind::value, file + ": expected a C++ file (.cc, .cpp or .cxx)");
  }
  stop_on_signal([&] { open_cc_file(file); });
}

Request with_args(const Request& request, const std::vector<flags::ConfigArg>& args) {
  Request out = request;
  out.config_args.insert(out.config_args.end(), args.begin(), args.end());
  return out;
}

std::vector<Loaded> load_each(const Request& request,
                              const std::vector<std::vector<flags::ConfigArg>>& sets) {
  if (kind_of(request.source) == Kind::py) {
    return stop_on_signal([&] { return load_py_file_each(request, sets); });
  }
  std::vector<Loaded> out;
  for (auto& set : sets) {
    try {
      out.push_back({.config = load(with_args(request, set))});
    } catch (const Error& e) {
      out.push_back({.error = e});
    }
  }
  return out;
}

bool WantedSweeps::contain(const std::string& name) const {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

const std::vector<SweepItem>& items_of(const Sweep& sweep) {
  if (sweep.error) throw *sweep.error;
  return sweep.items;
}

Sweeps load_sweeps(const Request& request, const std::vector<std::string>& names) {
  const auto kind = kind_of(request.source);
  const WantedSweeps wanted{names};
  return stop_on_signal([&]() -> Sweeps {
    switch (kind) {
      case Kind::data:
        return {};
      case Kind::cc:
        return cc_file_sweeps(request, wanted);
      case Kind::py:
        return py_file_sweeps(request, wanted);
      case Kind::builtin:
        break;
    }
    return builtin_sweeps(request, wanted);
  });
}

std::vector<ConfigFile> config_files(const Request& request) {
  const auto kind = kind_of(request.source);
  return stop_on_signal([&]() -> std::vector<ConfigFile> {
    switch (kind) {
      case Kind::cc:
        return cc_file_files(request);
      case Kind::py:
        return py_file_files(request);
      case Kind::data:
        if (request.source != "-") return {alone(request.source)};
        break;
      case Kind::builtin:
        break;
    }
    return {};
  });
}

konfig::Value arguments_of(const Request& request, const konfig::Type* type) {
  if (request.args.empty() && request.config_args.empty()) return konfig::None();
  std::vector<flags::ConfigArg> args;
  try {
    args = flags::parse_config_args(request.args);
  } catch (const Error& e) {
    throw Error(e.kind(), request.source + ": " + e.what());
  }
  args.insert(args.end(), request.config_args.begin(), request.config_args.end());
  return flags::args_for(type, args);
}

std::vector<std::string> names() { return konfig::all_configs(); }

}  // namespace loader
