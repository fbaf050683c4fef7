// Which program this is: text that is the same only where a compiled config file fits.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace loader {

// The program's own libraries, those beside the loader's, that were there when it started.
std::vector<std::filesystem::path> own_libraries();

// Of their contents. A copy of the program has the same; one that was built anew from changed
// sources has not.
const std::string& program_identity();

}  // namespace loader
