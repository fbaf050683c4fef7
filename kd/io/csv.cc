// Reading tables of text.
#include "kd/io/csv.h"

#include <algorithm>
#include <set>

#include "kd/io/errors.h"

namespace kd::io {

namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// Behind "\n", "\r\n" or "\r".
void skip_line_end(std::string_view text, std::uint64_t& at) {
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] == '\n') ++at;
}

std::string read_quoted(const Bytes& bytes, std::uint64_t& at) {
  const std::uint64_t begin = at++;
  std::string out;
  while (at < bytes.size()) {
    const char c = bytes.data[at++];
    if (c != '"') {
      out += c;
    } else if (at < bytes.size() && bytes.data[at] == '"') {
      out += '"';
      ++at;
    } else {
      return out;
    }
  }
  fail_in_file(bytes.path, begin, "a quote is not closed");
}

}  // namespace

std::vector<std::string> read_csv_line(const Bytes& bytes, std::uint64_t& at, char separator) {
  std::vector<std::string> out;
  while (true) {
    std::string cell;
    if (at < bytes.size() && bytes.data[at] == '"') {
      cell = read_quoted(bytes, at);
      if (at < bytes.size() && bytes.data[at] != separator && !is_line_end(bytes.data[at])) {
        fail_in_file(bytes.path, at, "a quoted cell goes on behind its quote");
      }
    } else {
      const std::uint64_t begin = at;
      while (at < bytes.size() && bytes.data[at] != separator && !is_line_end(bytes.data[at])) ++at;
      cell = bytes.data.substr(begin, at - begin);
    }
    out.push_back(std::move(cell));
    if (at >= bytes.size() || bytes.data[at] != separator) break;
    ++at;
  }
  skip_line_end(bytes.data, at);
  return out;
}

namespace {

using Type = CsvTable::Type;

Type type_of(const std::string& cell) {
  std::int64_t whole;
  double number;
  if (cell.empty()) return Type::number;  // a missing number
  if (parse_cell(cell, whole)) return Type::integer;
  return parse_cell(cell, number) ? Type::number : Type::text;
}

}  // namespace

CsvTable index_csv(const Bytes& bytes, char separator, bool header,
                   const std::vector<std::string>& names) {
  CsvTable out{.names = names, .types = {}, .lines = {}};
  std::uint64_t at = bytes.data.starts_with("\xef\xbb\xbf") ? 3 : 0;
  if (header) {
    const auto found = read_csv_line(bytes, at, separator);
    if (out.names.empty()) out.names = found;
  }
  std::vector<bool> seen;
  while (at < bytes.size()) {
    const std::uint64_t begin = at;
    if (is_line_end(bytes.data[at])) {  // an empty line
      skip_line_end(bytes.data, at);
      continue;
    }
    const auto cells = read_csv_line(bytes, at, separator);
    if (out.names.empty()) {
      for (std::size_t k = 0; k < cells.size(); ++k)
        out.names.push_back("column" + std::to_string(k));
    }
    if (cells.size() != out.names.size()) {
      fail_in_file(bytes.path, begin,
                   "the line has " + std::to_string(cells.size()) + " cells, " +
                       std::to_string(out.names.size()) + " were expected");
    }
    out.types.resize(cells.size(), Type::integer);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      out.types[k] = std::max(out.types[k], type_of(cells[k]));
    }
    out.lines.push_back(begin);
  }
  if (std::set(out.names.begin(), out.names.end()).size() != out.names.size()) {
    fail_in_file(bytes.path, 0, "two columns have the same name");
  }
  return out;
}

}  // namespace kd::io
