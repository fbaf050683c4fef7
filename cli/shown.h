// Texts that others wrote, for a terminal: titles, arguments, lines of logs. Nothing in them moves
// the cursor, clears the screen or breaks a line of a table.
#pragma once

#include <string>
#include <string_view>

namespace cli {

// Control characters, and what reverses the direction of writing, as escapes: "\n", "\x1b". Bytes
// that are not UTF-8 become U+FFFD. Those in `keep` stay.
std::string shown(std::string_view text, std::string_view keep = "");

// A line of a log. Control sequences are left out, but colours stay where `colours` is true, and
// end with the line.
std::string shown_line(std::string_view line, bool colours);

}  // namespace cli
