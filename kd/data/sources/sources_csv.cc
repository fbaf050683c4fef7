// Csv: the rows of a table as records.
#include <ATen/ops/scalar_tensor.h>

#include <limits>

#include "kd/data/engine/records.h"
#include "kd/data/formats.h"
#include "kd/data/sources/sources.h"
#include "kd/io/csv.h"
#include "kd/io/errors.h"

namespace kd::data {

namespace {

using Type = CsvTable::Type;

Tree element_of(const std::string& cell, Type type) {
  if (type == Type::text) return Tree(Tree::Texts{cell});
  if (type == Type::integer) {
    std::int64_t whole = 0;
    parse_cell(cell, whole);
    return at::scalar_tensor(whole, at::kLong);
  }
  double number = std::numeric_limits<double>::quiet_NaN();
  parse_cell(cell, number);
  return at::scalar_tensor(number, at::kDouble);
}

class CsvRecords final : public Records {
 public:
  CsvRecords(Bytes bytes, char separator, CsvTable table)
      : bytes_(std::move(bytes)), separator_(separator), table_(std::move(table)) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(table_.lines.size()); }
  Tree read(std::int64_t i) const override {
    std::uint64_t at = table_.lines[static_cast<std::size_t>(i)];
    const auto cells = read_csv_line(bytes_, at, separator_);
    Tree out = Tree::dict();
    for (std::size_t k = 0; k < cells.size(); ++k) {
      out[table_.names[k]] = element_of(cells[k], table_.types[k]);
    }
    return out;
  }

 private:
  Bytes bytes_;
  char separator_;
  CsvTable table_;
};

}  // namespace

RecordsPtr Csv::open() const {
  if (separator.size() != 1) {
    throw Error(ErrorKind::value, "separator: it is one character, not '" + separator + "'");
  }
  const Bytes packed = map_file(*path);
  constexpr std::uint64_t kMostRatio = 1033;  // of deflate
  const Bytes bytes = unpacked(packed, packed.size() * kMostRatio);
  if (bytes.size() == 0) fail_in_file(*path, 0, "the file is empty");
  return std::make_shared<CsvRecords>(bytes, separator[0],
                                      index_csv(bytes, separator[0], header, columns));
}

}  // namespace kd::data
