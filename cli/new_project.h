// kd new: a project to start from.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct NewOptions {
  std::string path = "";  // the folder; its last part is the project's name
};
int new_project(const NewOptions& options);

// The files of a project by the name my_project, from examples/project.
struct ProjectFile {
  const char* name;
  const char* text;
};
const std::vector<ProjectFile>& project_files();

}  // namespace cli
