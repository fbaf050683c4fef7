// Tables of text: cells between separators, quoted or not, as in RFC 4180.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kd/io/file.h"

namespace kd::io {

// The cells of the line that begins at `at`, which moves behind it. Quoted cells may hold
// separators and line ends. An Error names the byte of a quote that is not closed.
std::vector<std::string> read_csv_line(const Bytes& bytes, std::uint64_t& at, char separator);

// Reads a cell that is a number and nothing else.
template <class T>
bool parse_cell(std::string_view cell, T& out) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), out);
  return error == std::errc() && end == cell.data() + cell.size();
}

struct CsvTable {
  enum class Type { integer, number, text };
  std::vector<std::string> names;
  std::vector<Type> types;
  std::vector<std::uint64_t> lines;  // where each row begins
};
// Goes over the whole table once, and keeps nothing of it but this.
CsvTable index_csv(const Bytes& bytes, char separator, bool header,
                   const std::vector<std::string>& names);

}  // namespace kd::io
