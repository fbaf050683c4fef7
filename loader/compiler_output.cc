#include "loader/compiler_output_impl.h"

#include <sstream>
#include <vector>

namespace loader {
namespace {

bool is_error(std::string_view line) {
  return line.find(": error: ") != line.npos || line.find(": fatal error: ") != line.npos;
}

// Source lines and carets are indented, all other lines start with a file name.
bool is_source(std::string_view line) { return line.starts_with(' '); }

// "file.cc:3:7:   required from here" before the error, or a note of clang after it.
bool leads_here(std::string_view line) {
  return line.find("required from here") != line.npos || line.find("requested here") != line.npos;
}

// "file.cc:3" of "file.cc:3:7: ...".
std::string place(std::string_view line) {
  auto end = line.find(':');
  end = end == line.npos ? end : line.find(':', end + 1);
  return std::string(line.substr(0, end));
}

std::string file_of(std::string_view line) { return std::string(line.substr(0, line.find(':'))); }

}  // namespace

std::string first_error(std::string_view output) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(output)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);

  std::string out, from;
  int errors = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_source(lines[i])) continue;
    if (errors == 0 && leads_here(lines[i])) from = lines[i];
    if (is_error(lines[i]) && errors++ == 0) first = i;
  }
  if (errors == 0) return "";

  out = lines[first];
  std::size_t i = first + 1;
  for (; i < lines.size() && is_source(lines[i]); ++i) out += '\n' + lines[i];
  for (; i < lines.size() && !is_error(lines[i]) && from.empty(); ++i) {
    if (leads_here(lines[i]) && !is_source(lines[i])) from = lines[i];
  }
  if (!from.empty() && file_of(from) != file_of(lines[first]))
    out += "\nreached from " + place(from);
  if (errors > 1) {
    out += "\n(" + std::to_string(errors - 1) + " more error" + (errors > 2 ? "s" : "") +
           "; KD_VERBOSE=1 shows all)";
  }
  return out;
}

}  // namespace loader
