// Does a config file need the engine (libtorch and the code built on it)? The one place that
// answers.
//
// A file that defines models of its own does, and says so by what it includes. One that includes
// only kd/kd.h may still call a function that the engine defines: its compiled library tells.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace loader {

// Before it is compiled: whether the source includes headers of the engine, which are worth
// precompiling then. They are KD_ENGINE_INCLUDES of cmake/kd.cmake.
bool source_needs_engine(std::string_view source);

// Once it is compiled: whether the library takes symbols from elsewhere that this program does not
// have.
bool library_needs_engine(const std::filesystem::path& library);
// Those symbols, in the order in which they would be missed; none for a file that is no library.
std::vector<std::string> missing_symbols(const std::filesystem::path& library);

}  // namespace loader
