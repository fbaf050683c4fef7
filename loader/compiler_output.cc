#include "loader/compiler_output_impl.h"

#include <optional>
#include <sstream>
#include <vector>

namespace loader {
namespace {

bool is_error(std::string_view line) {
  return line.find(": error: ") != line.npos || line.find(": fatal error: ") != line.npos;
}

// Source lines and carets are indented, all other lines start with a file name.
bool is_source(std::string_view line) { return line.starts_with(' '); }

// "file.cc:3:7:   required from here" before the error, or a note of clang after it.
bool leads_here(std::string_view line) {
  return line.find("required from here") != line.npos || line.find("requested here") != line.npos;
}

// "file.cc:3" of "file.cc:3:7: ...".
std::string place(std::string_view line) {
  auto end = line.find(':');
  end = end == line.npos ? end : line.find(':', end + 1);
  return std::string(line.substr(0, end));
}

// "file.cc:3:7:" of "file.cc:3:7: ...".
std::string place_and_column(std::string_view line) {
  return std::string(line.substr(0, line.find(": ") + 1));
}

std::string file_of(std::string_view line) { return std::string(line.substr(0, line.find(':'))); }

// What is between `begin` and `end`; "" if either is missing.
std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const auto from = text.find(begin);
  if (from == text.npos) return "";
  const auto to = text.find(end, from + begin.size());
  return to == text.npos ? ""
                         : std::string(text.substr(from + begin.size(), to - from - begin.size()));
}

// What a library says to its user, without the condition; "": another kind of error.
std::string assertion(std::string_view line) {
  if (line.find(": error: static_assert failed") != line.npos) {  // clang before 16
    const auto quote = line.find(" \"");
    if (quote == line.npos) return "";
    std::string text(line.substr(quote + 2, line.size() - quote - 3));
    for (std::size_t at = 0; (at = text.find("\\\"", at)) != text.npos;) text.erase(at, 1);
    return text;
  }
  for (const std::string_view begin : {": error: static assertion failed due to requirement ",
                                       ": error: static assertion failed: "}) {
    const auto at = line.find(begin);
    if (at == line.npos) continue;
    const std::string_view rest = line.substr(at + begin.size());
    const auto condition = rest.starts_with('\'') ? rest.find("': ") : rest.npos;
    return std::string(condition == rest.npos ? rest : rest.substr(condition + 3));
  }
  return "";
}

// "Config::name: " of the line that instantiates a check of that field; "": it is another one.
std::string checked_field(std::string_view line) {
  std::string owner = between(line, "::check_field<", ", ");                          // clang
  if (owner.empty()) owner = between(line, "::check_field() [with Struct = ", "; ");  // gcc
  const std::string member = between(line, "object.", "}");
  if (owner.empty() || member.empty()) return "";
  const std::string name = member.substr(member.find_last_of(".:") + 1);
  return owner + "::" + name.substr(0, name.find(')')) + ": ";
}

}  // namespace

std::string first_error(std::string_view output, std::string_view file) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(output)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  // With the source lines below it.
  auto with_source = [&](std::size_t i, std::string line) {
    for (++i; i < lines.size() && is_source(lines[i]); ++i) line += '\n' + lines[i];
    return line;
  };

  int errors = 0;
  std::optional<std::size_t> first, from;  // the error, and the line of the file that led there
  std::string field;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_source(lines[i])) continue;
    // gcc says before the error what led to it, clang says it afterwards.
    if (errors <= 1 && !from && leads_here(lines[i]) && file_of(lines[i]) == file) from = i;
    if (errors <= 1 && field.empty()) field = checked_field(lines[i]);
    if (is_error(lines[i]) && errors++ == 0) first = i;
  }
  if (!first) return "";

  const std::string& error = lines[*first];
  std::string out;
  if (from && file_of(error) != file) {
    const std::string said = assertion(error);
    out = with_source(
        *from, place_and_column(lines[*from]) + (said.empty() ? error.substr(error.find(" error: "))
                                                              : " error: " + field + said));
    out += "\nfound in " + place(error);
  } else {
    out = with_source(*first, error);
  }
  if (errors > 1) {
    out += "\n(" + std::to_string(errors - 1) + " more error" + (errors > 2 ? "s" : "") +
           "; KD_VERBOSE=1 shows all)";
  }
  return out;
}

}  // namespace loader
