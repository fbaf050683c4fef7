// Unpacking of gzip and zlib files.
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "kd/io/errors.h"
#include "kd/io/file.h"

namespace kd::io {

namespace {

// Unpacks piece by piece, so that memory grows with what is really there.
class Inflater {
 public:
  explicit Inflater(const Bytes& bytes) : bytes_(bytes) {
    constexpr int kAnyHeader = 15 + 32;
    if (::inflateInit2(&stream_, kAnyHeader) != Z_OK)
      fail_in_file(bytes.path, "zlib does not start");
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Up to `n` bytes in all; fewer at the end.
  std::string read(std::uint64_t n) {
    constexpr std::uint64_t kPiece = 1 << 20;
    std::string out;
    while (out.size() < n && !done_) {
      const std::size_t before = out.size();
      out.resize(before + std::min(kPiece, n - before));
      out.resize(before + fill(out.data() + before, out.size() - before));
    }
    return out;
  }
  bool done() const { return done_; }

 private:
  std::size_t fill(char* to, std::size_t n) {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(n);
    while (stream_.avail_out > 0 && !done_) {
      if (stream_.avail_in == 0) feed();
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      const std::uint64_t at = given_ - stream_.avail_in;
      if (code == Z_STREAM_END) {
        // Several files may be packed one behind the other.
        if (stream_.avail_in == 0 && given_ == bytes_.size()) {
          done_ = true;
        } else if (::inflateReset(&stream_) != Z_OK) {
          fail_in_file(bytes_.path, at, "zlib cannot go on");
        }
      } else if (code == Z_BUF_ERROR && stream_.avail_in == 0 && given_ == bytes_.size()) {
        fail_in_file(bytes_.path, at, "the packed data ends too early");
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        fail_in_file(bytes_.path, at,
                     std::string("the packed data is damaged: ") +
                         (stream_.msg ? stream_.msg : "unknown format"));
      }
    }
    return n - stream_.avail_out;
  }

  void feed() {
    constexpr std::uint64_t kMost = std::numeric_limits<uInt>::max();
    const std::uint64_t n = std::min(kMost, bytes_.size() - given_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data.data())) + given_;
    stream_.avail_in = static_cast<uInt>(n);
    given_ += n;
  }

  const Bytes& bytes_;
  z_stream stream_ = {};
  std::uint64_t given_ = 0;
  bool done_ = false;
};

}  // namespace

bool is_gzip(std::string_view data) { return data.starts_with("\x1f\x8b"); }

std::string unpacked_start(const Bytes& bytes, std::size_t n) {
  if (!is_gzip(bytes.data)) return std::string(bytes.data.substr(0, n));
  return Inflater(bytes).read(n);
}

Bytes unpacked(const Bytes& bytes, std::uint64_t limit) {
  if (!is_gzip(bytes.data)) return bytes;
  Inflater inflater(bytes);
  std::string out = inflater.read(limit);
  if (!inflater.done() && !inflater.read(1).empty()) {
    fail_in_file(bytes.path, "it unpacks to more than " + std::to_string(limit) + " bytes");
  }
  return own_bytes(bytes.path, std::move(out));
}

}  // namespace kd::io
