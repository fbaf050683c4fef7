// Which program this is: text that is the same only where a compiled config file fits.
#pragma once

#include <string>

namespace loader {

// Of the contents of this program's own libraries, those beside the loader's. A copy of the program
// has the same; one that was built anew from changed sources has not.
const std::string& program_identity();

}  // namespace loader
