// Prints which part of a source tree includes which, as a graph for Graphviz:
//   draw_layers <source root> | dot -Tsvg > layers.svg
#include <iostream>

#include "tools/layers.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: draw_layers <source root>\n";
    return 2;
  }
  std::cout << layers::draw(layers::read_tree(argv[1]));
  return 0;
}
