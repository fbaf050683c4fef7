// Tensors in files: reading and writing.
#include "kd/tree/safetensors.h"

#include <ATen/ops/empty.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "kd/tree/durable.h"
#include "kd/tree/safetensors_impl.h"
#include "konfig/error.h"

namespace kd {

using konfig::Error;
using konfig::ErrorKind;

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::value, path + ": " + what);
}

[[noreturn]] void fail_errno(const std::string& path, const std::string& what) {
  fail_with_errno(path, what, errno);
}

// An open file that closes itself.
class File {
 public:
  File(const std::string& path, int flags) : path_(path) {
    fd_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (fd_ < 0) fail_errno(path, (flags & O_CREAT) ? "cannot be written" : "cannot be read");
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;

  std::uint64_t size() const {
    struct stat info;
    if (::fstat(fd_, &info) != 0) fail_errno(path_, "cannot be read");
    if (!S_ISREG(info.st_mode)) fail(path_, "is not a file");
    return static_cast<std::uint64_t>(info.st_size);
  }
  void read(void* to, std::uint64_t n, std::uint64_t from) const {
    for (auto* out = static_cast<char*>(to); n > 0;) {
      ssize_t got =
          ::pread(fd_, out, std::min<std::uint64_t>(n, 1 << 30), static_cast<off_t>(from));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_errno(path_, "cannot be read");
      if (got == 0) fail(path_, "became shorter while it was read");
      out += got, from += got, n -= got;
    }
  }
  void write(const void* data, std::uint64_t n) const {
    for (auto* in = static_cast<const char*>(data); n > 0;) {
      ssize_t put = ::write(fd_, in, std::min<std::uint64_t>(n, 1 << 30));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail_errno(path_, "cannot be written");
      in += put, n -= put;
    }
  }
  void sync() const {
    if (::fsync(fd_) != 0) fail_errno(path_, "cannot be synced to disk");
  }

 private:
  std::string path_;
  int fd_;
};

SafetensorsHeader read_header(const std::string& path, const File& file) {
  std::uint64_t size = file.size();
  std::string text(std::min<std::uint64_t>(size, 8), '\0');
  file.read(text.data(), text.size(), 0);
  try {
    auto end = detail::safetensors_header_end(text, size);
    text.resize(end);
    file.read(text.data() + 8, end - 8, 8);
    return parse_safetensors_header(text, size);
  } catch (const Error& error) {
    fail(path, error.what());
  }
}

using Read = std::function<void(void* to, std::uint64_t n, std::uint64_t from)>;

TensorMap read_tensors(const SafetensorsHeader& header, const Read& read) {
  TensorMap out;
  for (auto& entry : header.entries) {
    Tensor tensor = at::empty(entry.shape, at::TensorOptions(entry.dtype));
    read(tensor.data_ptr(), entry.end - entry.begin, header.data_begin + entry.begin);
    out.emplace(entry.name, std::move(tensor));
  }
  return out;
}

using Write = std::function<void(const void* data, std::uint64_t n)>;

// The layout of the tensors, and the tensors in that order.
std::pair<SafetensorsHeader, std::vector<const Tensor*>> lay_out(const TensorMap& tensors,
                                                                 const Metadata& metadata) {
  std::vector<const TensorMap::value_type*> order;
  for (auto& item : tensors) {
    auto refuse = [&](const std::string& what) {
      throw Error(ErrorKind::value, "tensor '" + item.first + "': " + what);
    };
    if (item.first == "__metadata__") refuse("the format reserves this name; choose another");
    if (!item.second.defined()) refuse("is undefined");
    if (item.second.layout() != at::kStrided) refuse("is sparse; save its dense form");
    if (item.second.is_meta()) refuse("has no values (meta device)");
    if (detail::safetensors_rank(item.second.scalar_type()) < 0) {
      refuse(std::string("the format has no dtype ") + c10::toString(item.second.scalar_type()));
    }
    order.push_back(&item);
  }
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) {
    return detail::safetensors_rank(a->second.scalar_type()) <
           detail::safetensors_rank(b->second.scalar_type());
  });
  SafetensorsHeader header{.metadata = metadata};
  std::vector<const Tensor*> sorted;
  std::uint64_t at = 0;
  for (auto* item : order) {
    const Tensor& tensor = item->second;
    std::uint64_t end = at + static_cast<std::uint64_t>(tensor.numel()) * tensor.element_size();
    header.entries.push_back({item->first, tensor.scalar_type(), tensor.sizes().vec(), at, end});
    sorted.push_back(&tensor);
    at = end;
  }
  return {std::move(header), std::move(sorted)};
}

void write_tensors(const TensorMap& tensors, const Metadata& metadata, const Write& write) {
  auto [header, sorted] = lay_out(tensors, metadata);
  std::string text = detail::safetensors_header(header);
  write(text.data(), text.size());
  for (const Tensor* tensor : sorted) {
    Tensor packed = tensor->detach().resolve_conj().resolve_neg().cpu().contiguous();
    write(packed.data_ptr(), static_cast<std::uint64_t>(packed.numel()) * packed.element_size());
  }
}

// Removes the file unless told to keep it: nothing is left of a write that failed.
struct Aside {
  std::string path;
  bool keep = false;
  ~Aside() {
    if (!keep) ::unlink(path.c_str());
  }
};

}  // namespace

SafetensorsHeader read_safetensors_header(const std::string& path) {
  return read_header(path, File(path, O_RDONLY));
}

TensorMap load_safetensors(const std::string& path) {
  File file(path, O_RDONLY);
  return read_tensors(read_header(path, file), [&](void* to, std::uint64_t n, std::uint64_t from) {
    file.read(to, n, from);
  });
}

TensorMap parse_safetensors(std::string_view bytes) {
  return read_tensors(parse_safetensors_header(bytes, bytes.size()),
                      [&](void* to, std::uint64_t n, std::uint64_t from) {
                        if (n > 0) std::memcpy(to, bytes.data() + from, n);
                      });
}

void save_safetensors(const std::string& path, const TensorMap& tensors, const Metadata& metadata) {
  Aside aside{path + ".tmp" + std::to_string(::getpid())};
  try {
    File file(aside.path, O_WRONLY | O_CREAT | O_TRUNC);
    write_tensors(tensors, metadata,
                  [&](const void* data, std::uint64_t n) { file.write(data, n); });
    file.sync();
  } catch (const Error& error) {
    std::string what = error.what();
    if (what.starts_with(aside.path)) throw;
    fail(path, what);
  }
  rename_synced(aside.path, path);
  aside.keep = true;
}

std::string to_safetensors(const TensorMap& tensors, const Metadata& metadata) {
  std::string out;
  write_tensors(tensors, metadata, [&](const void* data, std::uint64_t n) {
    out.append(static_cast<const char*>(data), n);
  });
  return out;
}

}  // namespace kd
