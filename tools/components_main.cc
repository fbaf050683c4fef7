// Writes a source file with the doc comments of the structs in headers:
//   field_docs <output.cc> <header.h>...
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "tools/field_docs_scan.h"

namespace {

std::optional<std::string> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: field_docs <output.cc> <header.h>...\n";
    return 2;
  }
  std::vector<field_docs::StructDocs> structs;
  for (int i = 2; i < argc; ++i) {
    const auto header = read(argv[i]);
    if (!header) {
      std::cerr << "field_docs: cannot read " << argv[i] << '\n';
      return 1;
    }
    for (auto& s : field_docs::scan(*header)) structs.push_back(std::move(s));
  }
  const std::string source = field_docs::generate(structs);
  if (read(argv[1]) == source) return 0;  // unchanged: nothing is compiled again
  std::ofstream out(argv[1], std::ios::binary);
  if (!(out << source).flush()) {
    std::cerr << "field_docs: cannot write " << argv[1] << '\n';
    return 1;
  }
  return 0;
}
