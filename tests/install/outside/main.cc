// The smallest program that uses an installed konfig.
#include <iostream>

#include "konfig/konfig.h"

int main() {
  konfig::ConfigDict cfg{{"a", 1}};
  std::cout << cfg.to_json();
}
