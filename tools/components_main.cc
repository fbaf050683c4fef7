// Makes sources of what headers declare, for the build:
//   components register <output.cc> <root> <list of headers>
//   components implement <output.cc> <root> <folder> <list of headers>
//   components umbrella <output.h> <root> <list of headers>
// The list is a file with the path of a header in each line. Includes are written relative to the
// root. A file that would not change is left alone, so that nothing is compiled again.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/lines.h"
#include "tools/generate.h"

namespace {

std::optional<std::string> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

int fail(const std::string& text) {
  std::cerr << "components: " << text << '\n';
  return 1;
}

std::string relative(const std::string& path, const std::string& root) {
  return std::filesystem::path(path).lexically_relative(root).generic_string();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const std::string mode = args.empty() ? "" : args[0];
  const std::size_t count = mode == "implement" ? 5 : 4;
  if (args.size() != count || (mode != "register" && mode != "implement" && mode != "umbrella")) {
    std::cerr << "usage: components register|umbrella <output> <root> <list of headers>\n"
                 "       components implement <output> <root> <folder> <list of headers>\n";
    return 2;
  }
  const std::string &output = args[1], &root = args[2];
  std::vector<components::Header> headers;
  const auto list = read(args.back());
  if (!list) return fail("cannot read " + args.back());
  for (const std::string& file : base::lines_of(*list)) {
    const auto text = read(file);
    if (!text) return fail("cannot read " + file);
    headers.push_back(components::read_header(relative(file, root), *text));
    for (const components::Fault& fault : headers.back().declared.faults) {
      return fail(headers.back().path + ":" + std::to_string(fault.line) + ": " + fault.text);
    }
  }
  std::string made;
  try {
    // Only where all headers come together, so that an error is not printed for every library.
    if (mode == "umbrella") components::check_names(headers);
    if (mode == "register") made = components::register_source(headers);
    if (mode == "umbrella") made = components::umbrella_header(headers);
    if (mode == "implement") {
      made = components::implement_source(headers, relative(args[3], root) + '/');
    }
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  if (read(output) == made) return 0;
  std::ofstream out(output, std::ios::binary);
  if (!(out << made).flush()) return fail("cannot write " + output);
  return 0;
}
