#include "cli/ask.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "cli/errors.h"
#include "cli/terminal.h"

namespace cli {

bool agreed(const std::string& question) {
  if (::isatty(STDIN_FILENO) != 1) {
    throw UsageError(question + "? There is no terminal to ask: add --yes");
  }
  finish_output();
  const std::string text = question + "? [y/N] ";
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace cli
