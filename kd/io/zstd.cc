// Unpacking of data that zstd packed.
#include "kd/io/zstd.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "kd/io/errors.h"

namespace kd::io {

std::string unpacked_zstd(std::string_view packed, std::uint64_t most, const std::string& name) {
  const std::unique_ptr<ZSTD_DStream, decltype(&::ZSTD_freeDStream)> stream(::ZSTD_createDStream(),
                                                                            &::ZSTD_freeDStream);
  if (!stream) fail_in_file(name, "zstd does not start");
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  std::string out;
  std::size_t left = 1;  // 0: a frame is complete
  bool full = false;     // zstd may hold more than there was room for
  while (in.pos < in.size || full) {
    constexpr std::uint64_t kPiece = 1 << 18;
    const std::size_t before = out.size();
    out.resize(before + std::min(kPiece, most - before + 1));
    ZSTD_outBuffer to = {out.data() + before, out.size() - before, 0};
    left = ::ZSTD_decompressStream(stream.get(), &to, &in);
    if (::ZSTD_isError(left)) {
      fail_in_file(name,
                   std::string("the data packed by zstd is damaged: ") + ::ZSTD_getErrorName(left));
    }
    out.resize(before + to.pos);
    if (out.size() > most) {
      fail_in_file(name, "it unpacks to more than " + std::to_string(most) + " bytes");
    }
    full = left != 0 && to.pos == to.size;
  }
  if (left != 0) fail_in_file(name, "the data packed by zstd ends too early");
  return out;
}

}  // namespace kd::io
