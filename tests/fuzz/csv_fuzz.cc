// Fuzz target: any bytes as a table of text.
#include "kd/data/csv.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const kd::data::Bytes bytes = kd::data::own_bytes("f", text);
  fuzz::only_errors([&] {
    const auto table = kd::data::index_csv(bytes, ',', true, {});
    for (std::uint64_t line : table.lines) {
      const auto cells = kd::data::read_csv_line(bytes, line, ',');
      fuzz::require(cells.size() == table.names.size(), "a line changed its length", text, "");
    }
  });
  return 0;
}
