// Writes a file of W&B with records of these lengths, for tests: wandb_records FILE LENGTH...
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "kd/io/wandb_log.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: wandb_records FILE LENGTH...\n";
    return 2;
  }
  std::string file = kd::io::wandb_log_head();
  for (int i = 2; i < argc; ++i) {
    std::string record(std::strtoull(argv[i], nullptr, 10), '\0');
    for (std::size_t at = 0; at < record.size(); ++at) {
      record[at] = static_cast<char>(at * 7 + record.size());
    }
    file += kd::io::wandb_log_frame(file.size(), record);
  }
  std::ofstream(argv[1], std::ios::binary) << file;
}
