// Reading numpy's files.
#include "kd/io/npy.h"

#include <algorithm>

#include "kd/io/errors.h"
#include "kd/io/first_bytes_impl.h"
#include "kd/io/numpy_type_impl.h"
#include "kd/io/swap_bytes_impl.h"
#include "kd/io/zip.h"
#include "konfig/literal.h"

namespace kd::io {

using konfig::Dict;
using konfig::Tuple;
using konfig::Value;

namespace {

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::uint64_t size = 0;  // where the values begin
};

const Value& field(const Bytes& bytes, const Dict& dict, const char* name) {
  if (auto* found = dict.find(name)) return *found;
  fail_in_file(bytes.path, 10, "the header has no '" + std::string(name) + "'");
}

Header parse_header(const Bytes& bytes) {
  if (!bytes.data.starts_with("\x93NUMPY") || bytes.size() < 10) {
    fail_in_file(
        bytes.path, 0,
        "not an NPY file: expected it to begin with \\x93NUMPY, found " + first_bytes(bytes, 6));
  }
  const int version = static_cast<unsigned char>(bytes.data[6]);
  if (version < 1 || version > 3) {
    fail_in_file(bytes.path, 6, "version " + std::to_string(version) + " of the format is unknown");
  }
  const std::uint64_t begin = version == 1 ? 10 : 12;
  const std::uint64_t length = version == 1 ? little_endian<std::uint16_t>(bytes, 8)
                                            : little_endian<std::uint32_t>(bytes, 8);
  if (bytes.size() - begin < length || bytes.size() < begin) {
    fail_in_file(bytes.path, 8, "the header is longer than the file");
  }
  constexpr std::uint64_t kMostHeader = 1 << 20;
  if (length > kMostHeader) fail_in_file(bytes.path, 8, "the header is longer than a megabyte");
  Header out{.size = begin + length};
  try {
    const Value value = konfig::parse_literal(bytes.data.substr(begin, length));
    const Dict& dict = value.as<Dict>();
    out.descr = field(bytes, dict, "descr").as<std::string>();
    out.fortran_order = field(bytes, dict, "fortran_order").as<bool>();
    for (const Value& n : field(bytes, dict, "shape").as<Tuple>()) {
      out.shape.push_back(n.as<std::int64_t>());
    }
  } catch (const Error& e) {
    fail_in_file(bytes.path, begin, std::string("the header cannot be read: ") + e.what());
  }
  return out;
}

c10::ScalarType dtype_of(const Bytes& bytes, const std::string& descr) {
  const auto found = numpy_type(descr);
  if (!found) {
    fail_in_file(bytes.path, 10,
                 "elements of type '" + descr +
                     "' are not known; there are numbers "
                     "and booleans");
  }
  return *found;
}

}  // namespace

Tensor parse_npy(const Bytes& bytes) {
  const Header header = parse_header(bytes);
  const c10::ScalarType dtype = dtype_of(bytes, header.descr);
  std::vector<std::int64_t> shape = header.shape;
  if (header.fortran_order) std::reverse(shape.begin(), shape.end());
  Tensor out = tensor_at(bytes, header.size, shape, dtype);
  if (out.element_size() > 1 && is_foreign_order(header.descr)) out = swapped(out);
  if (!header.fortran_order) return out;
  std::vector<std::int64_t> order(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
  }
  return out.permute(order).contiguous();
}

std::map<std::string, Tensor> parse_npz(const Bytes& bytes) {
  std::map<std::string, Tensor> out;
  for (const ZipEntry& entry : read_zip(bytes)) {
    constexpr std::string_view kEnding = ".npy";
    if (!entry.name.ends_with(kEnding)) continue;
    const std::string name = entry.name.substr(0, entry.name.size() - kEnding.size());
    out[name] = parse_npy(unzip(bytes, entry));
  }
  if (out.empty()) fail_in_file(bytes.path, "it holds no array");
  return out;
}

}  // namespace kd::io
