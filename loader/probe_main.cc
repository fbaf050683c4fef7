// The smallest program that loads configs, for tests that need processes: probe SOURCE [--sweeps].
#include <iostream>

#include "konfig/json.h"
#include "loader/loader.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    const loader::Request request{.source = argv[1]};
    if (argc > 2) {
      for (auto& [name, sweep] : loader::load_sweeps(request)) {
        for (auto& item : items_of(sweep))
          std::cout << name << ' ' << konfig::to_json(item) << '\n';
      }
    } else {
      std::cout << konfig::to_json(loader::load(request)) << '\n';
    }
  } catch (const konfig::Error& e) {
    std::cerr << "error: " << e.what() << '\n';
    return 1;
  }
}
