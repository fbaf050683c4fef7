// Reading IDX files.
#include "kd/io/idx.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "kd/io/errors.h"
#include "kd/io/first_bytes_impl.h"
#include "kd/io/swap_bytes_impl.h"

namespace kd::io {

namespace {

struct Header {
  c10::ScalarType dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t size;  // of the header
};

std::optional<c10::ScalarType> dtype_of(unsigned char code) {
  switch (code) {
    case 0x08:
      return at::kByte;
    case 0x09:
      return at::kChar;
    case 0x0B:
      return at::kShort;
    case 0x0C:
      return at::kInt;
    case 0x0D:
      return at::kFloat;
    case 0x0E:
      return at::kDouble;
    default:
      return {};
  }
}

constexpr std::size_t kMostHeader = 4 + 4 * 255;

Header parse_header(const Bytes& bytes) {
  const auto magic = big_endian<std::uint32_t>(bytes, 0);
  if (magic >> 16 != 0)
    fail_in_file(
        bytes.path, 0,
        "not an IDX file: expected two leading zero bytes, found " + first_bytes(bytes, 2));
  const auto dtype = dtype_of(static_cast<unsigned char>(magic >> 8));
  if (!dtype) {
    fail_in_file(bytes.path, 2, "there is no element type " + std::to_string(magic >> 8 & 0xFF));
  }
  Header out{.dtype = *dtype, .shape = {}, .size = 4};
  for (std::uint32_t i = 0; i < (magic & 0xFF); ++i, out.size += 4) {
    out.shape.push_back(big_endian<std::uint32_t>(bytes, out.size));
  }
  return out;
}

Tensor parse_plain(const Bytes& bytes) {
  const Header header = parse_header(bytes);
  const std::uint64_t size =
      checked_size(bytes, header.size, header.shape, c10::elementSize(header.dtype));
  if (bytes.size() > header.size + size) {
    fail_in_file(bytes.path, header.size + size, "the file goes on behind its last element");
  }
  const Tensor out = tensor_at(bytes, header.size, header.shape, header.dtype);
  return out.element_size() > 1 ? swapped(out) : out;
}

}  // namespace

namespace {

Bytes unpack_checked(const Bytes& bytes) {
  // What the header says must be possible, before memory is taken for it.
  const Bytes start = own_bytes(bytes.path, unpacked_start(bytes, kMostHeader));
  const Header header = parse_header(start);
  const std::uint64_t size =
      checked_size(start, header.size, header.shape, c10::elementSize(header.dtype));
  constexpr std::uint64_t kMostRatio = 1032;  // of deflate
  if (size / kMostRatio > bytes.size()) {
    fail_in_file(
        bytes.path, 4,
        "the header speaks of " + std::to_string(size) + " bytes, more than the file can hold");
  }
  return unpacked(bytes, header.size + size);
}

// The train and the eval pipeline of a run often read the same packed file: while one has it, the
// others share its memory.
Bytes unpack_shared(const Bytes& bytes) {
  struct Kept {
    std::filesystem::file_time_type changed;
    std::string_view data;
    std::weak_ptr<const void> owner;
  };
  static std::mutex mutex;
  static std::map<std::string, Kept> kept;
  std::error_code ignored;
  const auto changed = std::filesystem::last_write_time(bytes.path, ignored);
  std::lock_guard lock(mutex);
  auto found = kept.find(bytes.path);
  if (found != kept.end() && found->second.changed == changed) {
    if (auto owner = found->second.owner.lock()) return {bytes.path, found->second.data, owner};
  }
  Bytes out = unpack_checked(bytes);
  kept.insert_or_assign(bytes.path, Kept{changed, out.data, out.owner});
  return out;
}

}  // namespace

Tensor parse_idx(const Bytes& bytes) {
  return parse_plain(is_gzip(bytes.data) ? unpack_checked(bytes) : bytes);
}

Tensor read_idx(const std::string& path) {
  const Bytes bytes = map_file(path);
  return parse_plain(is_gzip(bytes.data) ? unpack_shared(bytes) : bytes);
}

}  // namespace kd::io
