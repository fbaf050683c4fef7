// Fuzz target: any bytes as an ArrayRecord file, and as a chunk of one.
#include "kd/io/array_record.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const kd::io::Bytes bytes = kd::io::own_bytes("f", text);
  fuzz::only_errors([&] { kd::io::detail::read_riegeli_chunk(bytes, 0); });
  fuzz::only_errors([&] {
    const kd::io::ArrayRecordFile file(bytes);
    for (std::int64_t i = 0; i < file.size(); ++i) file.read(i);
  });
  return 0;
}
