// Mapping files, and numbers in them.
#include "kd/io/file.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "kd/io/errors.h"

namespace kd::io {

namespace {

class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail(path);
    struct stat info;
    if (::fstat(fd, &info) != 0) fail(path, fd);
    if (!S_ISREG(info.st_mode)) {
      ::close(fd);
      fail_in_file(path, "it is no file");
    }
    size_ = static_cast<std::size_t>(info.st_size);
    if (size_ > 0) {
      // Private and writable: a step that writes to its input changes neither the file nor crashes.
      data_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
      if (data_ == MAP_FAILED) fail(path, fd);
    }
    ::close(fd);
  }
  ~Mapping() {
    if (size_ > 0) ::munmap(data_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::string_view view() const { return {static_cast<const char*>(data_), size_}; }

 private:
  [[noreturn]] static void fail(const std::string& path, int fd = -1) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    fail_in_file(path, std::string("cannot be read: ") + std::strerror(error));
  }
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
T number_at(const Bytes& bytes, std::uint64_t offset, bool swapped) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    fail_in_file(bytes.path, offset, "the file ends here, a number was expected");
  }
  char raw[sizeof(T)];
  std::memcpy(raw, bytes.data.data() + offset, sizeof(T));
  if (swapped) std::reverse(raw, raw + sizeof(T));
  T out;
  std::memcpy(&out, raw, sizeof(T));
  return out;
}

constexpr bool kLittle = std::endian::native == std::endian::little;

}  // namespace

Bytes map_file(const std::string& path) {
  auto mapping = std::make_shared<Mapping>(path);
  const std::string_view view = mapping->view();
  return {path, view, std::move(mapping)};
}

Bytes own_bytes(std::string path, std::string data) {
  auto owner = std::make_shared<std::string>(std::move(data));
  const std::string_view view = *owner;
  return {std::move(path), view, std::move(owner)};
}

std::uint64_t checked_size(const Bytes& bytes, std::uint64_t offset,
                           std::span<const std::int64_t> shape, std::size_t element_size) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  std::uint64_t size = element_size;
  bool empty = false;
  for (std::int64_t n : shape) {
    if (n < 0) fail_in_file(bytes.path, offset, "a dimension is negative: " + std::to_string(n));
    empty = empty || n == 0;
    if (n > 0 && size > kMost / static_cast<std::uint64_t>(n)) {
      fail_in_file(bytes.path, offset, "the shape is larger than any memory");
    }
    if (n > 0) size *= static_cast<std::uint64_t>(n);
  }
  return empty ? 0 : size;
}

Tensor tensor_at(const Bytes& bytes, std::uint64_t offset, const std::vector<std::int64_t>& shape,
                 c10::ScalarType dtype) {
  const std::size_t element = c10::elementSize(dtype);
  const std::uint64_t size = checked_size(bytes, offset, shape, element);
  if (offset > bytes.size() || bytes.size() - offset < size) {
    fail_in_file(bytes.path, offset,
                 std::to_string(size) + " bytes were expected, " +
                     std::to_string(bytes.size() - std::min(offset, bytes.size())) + " follow");
  }
  const char* from = bytes.data.data() + offset;
  if (size > 0 && reinterpret_cast<std::uintptr_t>(from) % element == 0) {
    return at::from_blob(
        const_cast<char*>(from), shape, [owner = bytes.owner](void*) {}, dtype);
  }
  Tensor out = at::empty(shape, dtype);
  if (size > 0) std::memcpy(out.mutable_data_ptr(), from, size);
  return out;
}

template <class T>
T little_endian(const Bytes& bytes, std::uint64_t offset) {
  return number_at<T>(bytes, offset, !kLittle);
}
template <class T>
T big_endian(const Bytes& bytes, std::uint64_t offset) {
  return number_at<T>(bytes, offset, kLittle);
}

template std::uint16_t little_endian(const Bytes&, std::uint64_t);
template std::uint32_t little_endian(const Bytes&, std::uint64_t);
template std::uint64_t little_endian(const Bytes&, std::uint64_t);
template std::uint32_t big_endian(const Bytes&, std::uint64_t);

}  // namespace kd::io
