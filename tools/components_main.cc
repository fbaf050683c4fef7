// Makes sources of what headers declare, for the build:
//   components register <output.cc> <root> <header.h>...
//   components implement <output.cc> <root> <folder> <header.h>...
//   components umbrella <output.h> <root> <header.h>...
// Includes are written relative to the root. A file that would not change is left alone, so that
// nothing is compiled again.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

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
  const std::size_t first = mode == "implement" ? 4 : 3;
  if (args.size() < first || (mode != "register" && mode != "implement" && mode != "umbrella")) {
    std::cerr << "usage: components register|umbrella <output> <root> <header.h>...\n"
                 "       components implement <output> <root> <folder> <header.h>...\n";
    return 2;
  }
  const std::string &output = args[1], &root = args[2];
  std::vector<components::Header> headers;
  for (std::size_t i = first; i < args.size(); ++i) {
    const auto text = read(args[i]);
    if (!text) return fail("cannot read " + args[i]);
    headers.push_back(components::read_header(relative(args[i], root), *text));
    for (int line : headers.back().declared.unreadable) {
      return fail(args[i] + ":" + std::to_string(line) +
                  ": a component is declared by the plain names of its interface and its type");
    }
  }
  std::string made;
  try {
    components::check_names(headers);
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
