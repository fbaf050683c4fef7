// The files of a project to start from, which `kd new` writes: those of examples/project.
#pragma once

#include <vector>

namespace cli {

struct ProjectFile {
  const char* name;
  const char* text;
};
// By the name my_project.
const std::vector<ProjectFile>& project_files();

}  // namespace cli
