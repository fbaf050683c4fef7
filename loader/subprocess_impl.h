// Running another program without a shell. It ends when we do.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace loader {

struct Command {
  std::vector<std::string> argv;              // argv[0]: name or path of the program
  std::vector<std::string> environment = {};  // "NAME=value", in addition to ours
  std::chrono::milliseconds timeout{0};       // 0: none
};

struct Outcome {
  int exit_code = -1;  // -1: ended by `signal`
  int signal = 0;
  bool timed_out = false;
  std::string out;
  std::string err;
  bool ok() const { return exit_code == 0; }
};

// Thrown when a signal asked us to stop while a program ran. The program and its children are gone
// by then; once the temporary files are gone too, `raise` it.
struct Interrupted {
  int signal;
};

// Runs it with no standard input and collects what it writes. A program that cannot be started is
// a std::system_error.
Outcome run(const Command& command);

// Where $PATH has the program; a name with '/' is taken as it is.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace loader
