#include "loader/program_identity_impl.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>

#include "loader/hash.h"

namespace loader {
namespace {

namespace fs = std::filesystem;

// What is loaded by now.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> out;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        return 0;
      },
      &out);
  return out;
}

// Before main: what is loaded later (the engine, config files) is not there in every command, nor
// in every one at the same time.
const std::vector<std::string> at_start = loaded_libraries();

std::string compute() {
  // By content alone: a copy of the program has files where the original has links.
  std::vector<std::string> contents;
  for (const fs::path& file : own_libraries()) {
    contents.push_back(hash_file(file).value_or(file.filename().string()));
  }
  std::ranges::sort(contents);
  std::string text;
  for (const std::string& content : contents) text += content + '\n';
  return hash(text);
}

}  // namespace

std::vector<fs::path> own_libraries() {
  Dl_info self = {};
  ::dladdr(reinterpret_cast<void*>(&program_identity), &self);
  std::error_code error;
  const fs::path folder = fs::canonical(self.dli_fname ? self.dli_fname : "", error).parent_path();
  std::vector<fs::path> out;
  for (const std::string& name : at_start) {
    const fs::path file = fs::canonical(name, error);
    if (!error && file.parent_path() == folder) out.push_back(file);
  }
  return out;
}

const std::string& program_identity() {
  static const std::string identity = compute();
  return identity;
}

}  // namespace loader
