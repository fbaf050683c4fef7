// Fuzz target: any bytes as a path.
#include "kontext/path.h"

#include "tests/fuzz/round_trip.h"

namespace {

template <class P>
void check(std::string_view text) {
  P path;
  bool read = false;
  fuzz::only_errors([&] {
    path = P::parse(text);
    read = true;
  });
  if (!read) return;
  std::string printed = path.str();
  P again;
  try {
    again = P::parse(printed);
  } catch (const konfig::Error& e) {
    fuzz::require(false, "a printed path does not parse", printed, e.what());
  }
  fuzz::require(again == path, "a path changed on the way", printed, again.str());
  fuzz::require(again.hash() == path.hash(), "equal paths, different hashes", printed, again.str());
  fuzz::require(again.str() == printed, "a path prints in two ways", printed, again.str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  check<kontext::Path>(fuzz::text(data, size));
  check<kontext::GlobPath>(fuzz::text(data, size));
  return 0;
}
