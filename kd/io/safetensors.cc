// Tensors in files: reading and writing.
#include "kd/io/safetensors.h"

#include <ATen/ops/empty.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "kd/core/dtype_name.h"
#include "kd/core/durable.h"
#include "kd/io/safetensors_impl.h"
#include "konfig/error.h"

namespace kd::io {

using konfig::Error;
using konfig::ErrorKind;

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::value, path + ": " + what);
}

base::File open(const std::string& path) {
  return with_file_errors([&] { return base::File(path, O_RDONLY); });
}

void read(const base::File& file, const std::string& path, void* to, std::uint64_t n,
          std::uint64_t from) {
  if (with_file_errors([&] { return file.read_at(from, to, n); }) < n) {
    fail(path, "became shorter while it was read");
  }
}

std::uint64_t size_of(const base::File& file, const std::string& path) {
  struct stat info;
  if (::fstat(file.descriptor(), &info) != 0) fail_with_errno(path, "cannot be read", errno);
  if (!S_ISREG(info.st_mode)) fail(path, "is not a file");
  return static_cast<std::uint64_t>(info.st_size);
}

SafetensorsHeader read_header(const std::string& path, const base::File& file) {
  std::uint64_t size = size_of(file, path);
  std::string text(std::min<std::uint64_t>(size, 8), '\0');
  read(file, path, text.data(), text.size(), 0);
  try {
    auto end = detail::safetensors_header_end(text, size);
    text.resize(end);
    read(file, path, text.data() + 8, end - 8, 8);
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
      refuse(std::string("the format has no dtype ") +
             std::string(dtype_name(item.second.scalar_type())));
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

}  // namespace

SafetensorsHeader read_safetensors_header(const std::string& path) {
  return read_header(path, open(path));
}

TensorMap load_safetensors(const std::string& path) {
  const base::File file = open(path);
  return read_tensors(read_header(path, file), [&](void* to, std::uint64_t n, std::uint64_t from) {
    read(file, path, to, n, from);
  });
}

TensorMap parse_safetensors(std::string_view bytes) {
  return read_tensors(parse_safetensors_header(bytes, bytes.size()),
                      [&](void* to, std::uint64_t n, std::uint64_t from) {
                        if (n > 0) std::memcpy(to, bytes.data() + from, n);
                      });
}

void save_safetensors(const std::string& path, const TensorMap& tensors, const Metadata& metadata) {
  with_file_errors([&] {
    base::Replacement file(path);
    try {
      write_tensors(tensors, metadata, [&](const void* data, std::uint64_t n) {
        file.write({static_cast<const char*>(data), n});
      });
    } catch (const Error& error) {
      fail(path, error.what());
    }
    file.commit();
  });
}

std::string to_safetensors(const TensorMap& tensors, const Metadata& metadata) {
  std::string out;
  write_tensors(tensors, metadata, [&](const void* data, std::uint64_t n) {
    out.append(static_cast<const char*>(data), n);
  });
  return out;
}

}  // namespace kd::io
