// What a Python script needs from its own folder.
#pragma once

#include <filesystem>
#include <vector>

#include "kxm/plan.h"

namespace kxm {

// Whether python runs it: by its name, or by its first line.
bool is_python(const std::filesystem::path& program);

// The script, then the modules beside it and in folders that hold some, laid out as they are. Of
// very many only those beside it.
std::vector<KeptFile> script_files(const std::filesystem::path& script);

}  // namespace kxm
