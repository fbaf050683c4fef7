// Programs that are named by the CMake target that makes them: "//tools/train:trainer" is the
// target `trainer` of the folder tools/train of the project.
//
//   auto programs = build_targets({"//:trainer", "//eval:scorer"}, find_project());
//   programs.at("//:trainer");   // "/home/me/project/build/trainer"
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kxm {

struct Project {
  std::filesystem::path
      root;  // where "//" is: the nearest folder whose CMakeLists.txt has project()
  std::filesystem::path build;  // its build folder
};

// The project that `from` is in. An Error when there is none.
Project find_project(const std::filesystem::path& from = std::filesystem::current_path());

bool is_target_label(std::string_view target);  // "//dir:name"

// Builds them all at once, with what CMake says on standard error, and gives the program of each. A
// folder that was not configured is configured first. An unknown target is an Error that names the
// nearest; so is a build that fails.
std::map<std::string, std::filesystem::path> build_targets(const std::vector<std::string>& labels,
                                                           const Project& project);

}  // namespace kxm
