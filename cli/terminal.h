// Where the program writes: standard output, checked, and errors in one style.
//
// Colours appear on a terminal only, and never when NO_COLOR is set or TERM is "dumb".
#pragma once

#include <string>
#include <string_view>

namespace cli {

enum class Ink { red, green, bold, dim };

// The text with colour codes around it, or as it is.
std::string ink_out(Ink ink, std::string_view text);  // for standard output
std::string ink_err(Ink ink, std::string_view text);  // for standard error
bool has_colours(int fd);                             // whether they do anything

// Whether lines there can be drawn anew: a terminal that is not "dumb".
bool is_terminal(int fd);
struct TerminalSize {
  int columns = 80, rows = 24;
};
// `otherwise` where it is not known.
TerminalSize terminal_size(int fd, TerminalSize otherwise = {});

// To standard output. What cannot be written (a full disk) is a Failure, at the latest in
// finish_output.
void print(std::string_view text);
void finish_output();

// To standard error: "kd: error: cfg.seed: ..." and plain remarks. Of an error that quotes what
// others wrote, control characters are shown as escapes.
void report_error(std::string_view message);
void remark(std::string_view text);

}  // namespace cli
