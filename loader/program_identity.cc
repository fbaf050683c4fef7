#include "loader/program_identity_impl.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "loader/hash.h"

namespace loader {
namespace {

namespace fs = std::filesystem;

std::string compute() {
  Dl_info self = {};
  ::dladdr(reinterpret_cast<void*>(&program_identity), &self);
  std::error_code error;
  const fs::path loader = fs::canonical(self.dli_fname ? self.dli_fname : "", error);
  struct Search {
    fs::path folder;
    std::vector<fs::path> found = {};
  } search{loader.parent_path()};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [folder, found] = *static_cast<Search*>(data);
        std::error_code none;
        const fs::path file = fs::canonical(info->dlpi_name, none);
        // What is loaded later (the engine, config files) is not there in every command.
        if (!none && file.parent_path() == folder) found.push_back(file);
        return 0;
      },
      &search);
  // By content alone: a copy of the program has files where the original has links.
  std::vector<std::string> contents;
  for (const fs::path& file : search.found) {
    const std::string name = file.filename().string();
    if (name.starts_with("libkd_engine") || name.starts_with("libkd_model_examples")) continue;
    contents.push_back(hash_file(file).value_or(name));
  }
  std::ranges::sort(contents);
  std::string text;
  for (const std::string& content : contents) text += content + '\n';
  return hash(text);
}

}  // namespace

const std::string& program_identity() {
  static const std::string identity = compute();
  return identity;
}

}  // namespace loader
