// Fuzz target: any format of folders with any swept value; split at the first '|'.
#include "kxm/subdir_format.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const auto half = text.find('|');
  const konfig::Dict kwargs{{"k", text.substr(half == text.npos ? 0 : half + 1)}};
  const std::string name = kxm::sweep_kwargs_text(kwargs);
  const bool safe = name.find_first_of(std::string("/\n\0", 3)) == name.npos;
  fuzz::require(safe, "a name that is no name of a folder", text, name);
  const kxm::DirContext at{.xid = 42,
                           .title = text,
                           .author = "me",
                           .cell = "c",
                           .num_units = 100,
                           .wid = 3,
                           .sweep_kwargs = &kwargs};
  fuzz::only_errors([&] {
    const auto dir = kxm::format_dir(text.substr(0, half), kxm::SubdirFormat(), at);
    fuzz::require(dir.find('\0') == dir.npos, "a zero byte in a path", text, dir);
  });
  return 0;
}
