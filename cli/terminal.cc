#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/errors.h"
#include "cli/shown.h"

namespace cli {
namespace {

const char* code(Ink ink) {
  switch (ink) {
    case Ink::red:
      return "\x1b[31m";
    case Ink::green:
      return "\x1b[32m";
    case Ink::bold:
      return "\x1b[1m";
    case Ink::dim:
      return "\x1b[2m";
  }
  return "";
}

std::string painted(bool colour, Ink ink, std::string_view text) {
  if (!colour || text.empty()) return std::string(text);
  return code(ink) + std::string(text) + "\x1b[0m";
}

[[noreturn]] void fail_output() {
  throw Failure(std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace

bool has_colours(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color && *no_color) return false;
  return is_terminal(fd);
}

bool is_terminal(int fd) {
  const char* term = std::getenv("TERM");
  if (!term || !*term || std::string_view(term) == "dumb") return false;
  return ::isatty(fd) == 1;
}

TerminalSize terminal_size(int fd, TerminalSize otherwise) {
  winsize size = {};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return otherwise;
  return {.columns = size.ws_col, .rows = size.ws_row};
}

std::string ink_out(Ink ink, std::string_view text) {
  static const bool colour = has_colours(STDOUT_FILENO);
  return painted(colour, ink, text);
}

// Asked each time: a launch whose terminal is closed goes on with a log in its place.
std::string ink_err(Ink ink, std::string_view text) {
  return painted(has_colours(STDERR_FILENO), ink, text);
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output();
}

void finish_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) fail_output();
}

void report_error(std::string_view message) {
  std::fflush(stdout);  // what came first is seen first
  remark(ink_err(Ink::bold, "kd: ") + ink_err(Ink::red, "error:") + " " + shown(message, "\n\t"));
}

void remark(std::string_view text) {
  std::string line(text);
  if (!line.ends_with('\n')) line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace cli
