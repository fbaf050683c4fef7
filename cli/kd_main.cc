// kd: the program.
#include <string>
#include <vector>

#include "cli/engine.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  cli::offer_engine();
  return cli::run(std::vector<std::string>(argv + 1, argv + argc));
}
