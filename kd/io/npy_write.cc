// Writing numpy's files.
#include <zlib.h>

#include <bit>

#include "kd/io/npy.h"
#include "konfig/error.h"

namespace kd::io {

namespace {

std::string descr_of(const Tensor& tensor) {
  std::string kind;
  switch (tensor.scalar_type()) {
    case at::kBool:
      return "|b1";
    case at::kByte:
      return "|u1";
    case at::kChar:
      return "|i1";
    case at::kUInt16:
    case at::kUInt32:
    case at::kUInt64:
      kind = "u";
      break;
    case at::kShort:
    case at::kInt:
    case at::kLong:
      kind = "i";
      break;
    case at::kHalf:
    case at::kFloat:
    case at::kDouble:
      kind = "f";
      break;
    default:
      throw konfig::Error(konfig::ErrorKind::unsupported,
                          "numpy's files hold no numbers of this type; convert it to float32");
  }
  const bool little = std::endian::native == std::endian::little;
  return (little ? "<" : ">") + kind + std::to_string(tensor.element_size());
}

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// What the local header and the directory have in common.
void put_entry(std::string& out, const std::string& name, const std::string& content) {
  const auto crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  put(out, 20, 2);        // version that reads it
  put(out, 0x800, 2);     // the name is UTF-8
  put(out, 0, 2);         // stored
  put(out, 0x210000, 4);  // 1980-01-01: the same arrays give the same file
  put(out, crc, 4);
  put(out, content.size(), 4);
  put(out, content.size(), 4);
  put(out, name.size(), 2);
  put(out, 0, 2);
}

}  // namespace

std::string npy_bytes(const Tensor& tensor) {
  std::string shape;
  for (std::int64_t n : tensor.sizes()) shape += std::to_string(n) + ", ";
  std::string header =
      "{'descr': '" + descr_of(tensor) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kStart = 10, kAlign = 64;
  header.resize((header.size() + kStart + kAlign) / kAlign * kAlign - kStart, ' ');
  header.back() = '\n';
  std::string out = "\x93NUMPY";
  put(out, 1, 2);  // version 1.0
  put(out, header.size(), 2);
  out += header;
  const Tensor values = tensor.detach().cpu().contiguous();
  return out.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
}

std::string npz_bytes(const std::vector<std::pair<std::string, Tensor>>& arrays) {
  std::string out, directory;
  for (auto& [key, tensor] : arrays) {
    const std::string name = key + ".npy", content = npy_bytes(tensor);
    const std::size_t offset = out.size();
    if (offset + content.size() > 0xFFFF'0000) {
      throw konfig::Error(konfig::ErrorKind::unsupported, "'" + key + "': beyond 4 GB");
    }
    out += "PK\x03\x04";
    put_entry(out, name, content);
    out += name + content;
    directory += "PK\x01\x02";
    put(directory, 20, 2);  // version that made it
    put_entry(directory, name, content);
    directory.append(10, '\0');  // no comment, first disk, nothing special
    put(directory, offset, 4);
    directory += name;
  }
  const std::size_t begin = out.size();
  out += directory + "PK\x05\x06";
  put(out, 0, 4);
  put(out, arrays.size(), 2);
  put(out, arrays.size(), 2);
  put(out, directory.size(), 4);
  put(out, begin, 4);
  put(out, 0, 2);
  return out;
}

}  // namespace kd::io
