// Chunks of the Riegeli format: a header with hashes, and packed records. A block header of 24
// bytes interrupts them at each multiple of 64 KB.
#include <brotli/decode.h>

#include <algorithm>

#include "kd/io/array_record.h"
#include "kd/io/checksum.h"
#include "kd/io/errors.h"
#include "kd/io/protobuf.h"
#include "kd/io/zstd.h"

namespace kd::io::detail {

namespace {

constexpr std::uint64_t kBlock = 1 << 16, kBlockHeader = 24, kChunkHeader = 40;

// `n` bytes from a place on, without the block headers. Moves the place.
std::string read_through(const Bytes& bytes, std::uint64_t& at, std::uint64_t n) {
  if (n > bytes.size()) fail_in_file(bytes.path, at, "a chunk is longer than the file");
  std::string out;
  out.reserve(n);
  while (out.size() < n) {
    if (at % kBlock < kBlockHeader) at += kBlockHeader - at % kBlock;
    const std::uint64_t piece = std::min(n - out.size(), kBlock - at % kBlock);
    if (at > bytes.size() || bytes.size() - at < piece) {
      fail_in_file(bytes.path, std::min(at, bytes.size()), "the file ends within a chunk");
    }
    out += bytes.data.substr(at, piece);
    at += piece;
  }
  return out;
}

std::uint64_t number_in(std::string_view bytes, std::size_t at, std::size_t n = 8) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  }
  return out;
}

// How many bytes a packed buffer may become: much more than real data does.
void check_ratio(const std::string& name, std::uint64_t size, std::uint64_t packed) {
  constexpr std::uint64_t kMostRatio = 1 << 16;
  if (size / kMostRatio > packed) {
    fail_in_file(name, "a packed buffer of " + std::to_string(packed) + " bytes cannot hold " +
                           std::to_string(size));
  }
}

std::string unpack(char method, std::string_view packed, const std::string& name) {
  if (method == 0) return std::string(packed);
  Message start(packed, name);
  const std::uint64_t size = start.number();
  std::size_t length = 0;
  while (static_cast<unsigned char>(packed[length]) >= 0x80) ++length;
  packed.remove_prefix(length + 1);
  check_ratio(name, size, packed.size());
  std::string out;
  if (method == 'z') {
    out = unpacked_zstd(packed, size, name);
    if (out.size() != size) fail_in_file(name, "the data packed by zstd is damaged");
  } else if (method == 'b') {
    out.resize(size);
    std::size_t n = out.size();
    const auto code = ::BrotliDecoderDecompress(
        packed.size(), reinterpret_cast<const std::uint8_t*>(packed.data()), &n,
        reinterpret_cast<std::uint8_t*>(out.data()));
    if (code != BROTLI_DECODER_RESULT_SUCCESS || n != size) {
      fail_in_file(name, "the data packed by brotli is damaged");
    }
  } else {
    fail_in_file(name, std::string("packing method '") + method + "' is unknown");
  }
  return out;
}

std::vector<std::string> decode(std::string_view data, std::uint64_t count,
                                const std::string& name) {
  if (data.empty()) fail_in_file(name, "the chunk is empty");
  const char method = data[0];
  Message start(data.substr(1), name);
  const std::uint64_t sizes_size = start.number();
  std::size_t length = 1;
  while (static_cast<unsigned char>(data[length]) >= 0x80) ++length;
  data.remove_prefix(length + 1);
  if (sizes_size > data.size()) fail_in_file(name, "the sizes are longer than the chunk");
  const std::string sizes = unpack(method, data.substr(0, sizes_size), name);
  const std::string values = unpack(method, data.substr(sizes_size), name);
  std::vector<std::string> out;
  Message run(sizes, name);
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t n = run.number();
    if (n > values.size() - at) fail_in_file(name, "a record is longer than its chunk");
    out.push_back(values.substr(at, n));
    at += n;
  }
  return out;
}

}  // namespace

std::vector<std::string> read_riegeli_chunk(const Bytes& bytes, std::uint64_t offset) {
  std::uint64_t at = offset;
  const std::string header = read_through(bytes, at, kChunkHeader);
  if (riegeli_hash(std::string_view(header).substr(8)) != number_in(header, 0)) {
    fail_in_file(bytes.path, offset, "the checksum of a chunk's header is wrong");
  }
  const char type = header[24];
  if (type != 'r') {
    fail_in_file(bytes.path, offset,
                 type == 't' ? "the records are stored transposed; write them with transpose:false"
                             : std::string("a chunk of type '") + type + "' holds no records");
  }
  const std::uint64_t size = number_in(header, 8), count = number_in(header, 25, 7);
  const std::string data = read_through(bytes, at, size);
  if (riegeli_hash(data) != number_in(header, 16)) {
    fail_in_file(bytes.path, offset, "the checksum of a chunk is wrong");
  }
  return decode(data, count, bytes.path + ": byte " + std::to_string(offset));
}

}  // namespace kd::io::detail
