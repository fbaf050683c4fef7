// Fuzz target: any bytes as a table of text.
#include "kd/io/csv.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const kd::io::Bytes bytes = kd::io::own_bytes("f", text);
  fuzz::only_errors([&] {
    const auto table = kd::io::index_csv(bytes, ',', true, {});
    for (std::uint64_t line : table.lines) {
      const auto cells = kd::io::read_csv_line(bytes, line, ',');
      fuzz::require(cells.size() == table.names.size(), "a line changed its length", text, "");
    }
  });
  return 0;
}
