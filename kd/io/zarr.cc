// Reading arrays of Zarr stores.
#include "kd/io/zarr.h"

#include <ATen/ops/empty.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "kd/io/errors.h"
#include "kd/io/numpy_type_impl.h"
#include "kd/io/swap_bytes_impl.h"
#include "kd/io/zstd.h"
#include "konfig/json.h"

namespace kd::io {

using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

using Shape = std::vector<std::int64_t>;

// What the metadata of an array says.
struct Array {
  std::string name;
  Shape shape, chunks;
  c10::ScalarType dtype = at::kFloat;
  bool swapped = false, fortran = false;
  std::string packing;           // "", "zstd", "gzip"
  std::string start, separator;  // of the keys of chunks
  Value fill;
};

[[noreturn]] void unknown(const std::string& what, const std::string& found,
                          const std::string& known) {
  throw Error(ErrorKind::unsupported, what + " '" + found + "' is not read, only " + known);
}

Shape shape_of(const Value& value) {
  Shape out;
  for (const Value& n : value.as<List>()) out.push_back(n.as<std::int64_t>());
  return out;
}

std::string text_in(const Dict& dict, const char* name, const char* otherwise) {
  const Value* found = dict.find(name);
  return found ? found->as<std::string>() : otherwise;
}

std::string known_packing(const std::string& name) {
  if (name != "zstd" && name != "gzip") unknown("packing", name, "zstd and gzip");
  return name;
}

Array parse_v2(const Dict& meta) {
  Array out;
  out.shape = shape_of(meta.at("shape"));
  out.chunks = shape_of(meta.at("chunks"));
  const std::string dtype = meta.at("dtype").as<std::string>();
  const auto known = dtype == "bfloat16" ? at::kBFloat16 : numpy_type(dtype);
  if (!known) unknown("dtype", dtype, "numbers and booleans");
  out.dtype = *known;
  out.swapped = is_foreign_order(dtype);
  out.fortran = meta.at("order").as<std::string>() == "F";
  if (const Value& packing = meta.at("compressor"); !packing.is_none()) {
    out.packing = known_packing(packing.as<Dict>().at("id").as<std::string>());
  }
  if (const Value* filters = meta.find("filters"); filters && !filters->is_none()) {
    unknown("filter", konfig::to_json(*filters), "arrays without filters");
  }
  out.separator = text_in(meta, "dimension_separator", ".");
  out.fill = meta.at("fill_value");
  return out;
}

c10::ScalarType type_of_v3(const std::string& name) {
  static const std::map<std::string, c10::ScalarType> kTypes = {
      {"bool", at::kBool},     {"uint8", at::kByte},        {"int8", at::kChar},
      {"uint16", at::kUInt16}, {"int16", at::kShort},       {"uint32", at::kUInt32},
      {"int32", at::kInt},     {"uint64", at::kUInt64},     {"int64", at::kLong},
      {"float16", at::kHalf},  {"bfloat16", at::kBFloat16}, {"float32", at::kFloat},
      {"float64", at::kDouble}};
  auto found = kTypes.find(name);
  if (found == kTypes.end()) unknown("dtype", name, "numbers and booleans");
  return found->second;
}

Array parse_v3(const Dict& meta) {
  Array out;
  out.shape = shape_of(meta.at("shape"));
  out.dtype = type_of_v3(meta.at("data_type").as<std::string>());
  auto settings = [](const Dict& part) {
    const Value* found = part.find("configuration");
    return found ? found->as<Dict>() : Dict();
  };
  const Dict& grid = meta.at("chunk_grid").as<Dict>();
  out.chunks = shape_of(settings(grid).at("chunk_shape"));
  const Dict& keys = meta.at("chunk_key_encoding").as<Dict>();
  const bool old_keys = keys.at("name").as<std::string>() == "v2";
  out.separator = text_in(settings(keys), "separator", old_keys ? "." : "/");
  out.start = old_keys ? "" : "c";
  for (const Value& codec : meta.at("codecs").as<List>()) {
    const std::string name = codec.as<Dict>().at("name").as<std::string>();
    if (name == "bytes") {
      out.swapped = is_foreign_order(
          text_in(settings(codec.as<Dict>()), "endian", "little") == "big" ? ">" : "<");
    } else {
      out.packing = known_packing(name);
    }
  }
  out.fill = meta.at("fill_value");
  return out;
}

std::string key_of(const Array& array, const Shape& place) {
  std::string out = array.start;
  for (std::int64_t n : place) {
    if (!out.empty()) out += array.separator;
    out += std::to_string(n);
  }
  return array.name + "/" + (out.empty() ? "0" : out);
}

Bytes unpacked_chunk(const Array& array, const Bytes& chunk, std::uint64_t size) {
  if (array.packing.empty()) return chunk;
  if (array.packing == "zstd") {
    return own_bytes(chunk.path, unpacked_zstd(chunk.data, size, chunk.path));
  }
  return unpacked(chunk, size);
}

Tensor chunk_of(const Array& array, const Bytes& packed) {
  Shape shape = array.chunks;
  if (array.fortran) std::reverse(shape.begin(), shape.end());
  const std::uint64_t size = checked_size(packed, 0, shape, c10::elementSize(array.dtype));
  const Bytes bytes = unpacked_chunk(array, packed, size);
  if (bytes.size() != size) {
    fail_in_file(packed.path, "a chunk of '" + array.name + "' has " +
                                  std::to_string(bytes.size()) + " bytes, its shape has " +
                                  std::to_string(size));
  }
  Tensor out = tensor_at(bytes, 0, shape, array.dtype);
  if (array.swapped && out.element_size() > 1) out = swapped(out);
  if (!array.fortran) return out;
  Shape order(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
  }
  return out.permute(order);
}

double fill_of(const Value& fill) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (fill.is_none()) return 0;
  if (fill.is<bool>()) return fill.as<bool>();
  if (fill.is<std::int64_t>()) return static_cast<double>(fill.as<std::int64_t>());
  if (fill.is<double>()) return fill.as<double>();
  const std::string& text = fill.as<std::string>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  unknown("fill value", text, "numbers");
}

// A bad file cannot ask for more than the machine has.
void check_memory(const Array& array, const Bytes& meta) {
  const std::uint64_t size = checked_size(meta, 0, array.shape, c10::elementSize(array.dtype));
  const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (size > memory) {
    fail_in_file(meta.path, "'" + array.name + "' has " + std::to_string(size) +
                                " bytes, more than this machine's memory");
  }
}

void check_chunks(const Array& array) {
  const bool fine =
      array.chunks.size() == array.shape.size() &&
      std::all_of(array.chunks.begin(), array.chunks.end(), [](std::int64_t n) { return n > 0; });
  if (!fine) throw Error(ErrorKind::value, "its chunks do not fit its shape");
}

Array parse(const ZarrStore& store, const std::string& name, Bytes& meta) {
  auto found = store(name + "/.zarray");
  const bool v2 = found.has_value();
  if (!found) found = store(name + "/zarr.json");
  if (!found) throw Error(ErrorKind::key, "it is not in the store");
  meta = *found;
  const Value json = konfig::parse_json(meta.data);
  Array out = v2 ? parse_v2(json.as<Dict>()) : parse_v3(json.as<Dict>());
  out.name = name;
  check_chunks(out);
  check_memory(out, meta);
  return out;
}

// The next place in row-major order; false behind the last.
bool advance(Shape& place, const Shape& counts) {
  for (std::size_t i = place.size(); i-- > 0;) {
    if (++place[i] < counts[i]) return true;
    place[i] = 0;
  }
  return false;
}

Tensor read_array(const ZarrStore& store, const std::string& name) {
  Bytes meta;
  const Array array = parse(store, name, meta);
  Tensor out = at::empty(array.shape, array.dtype);
  if (out.numel() == 0) return out;
  const double fill = fill_of(array.fill);
  Shape counts, place(array.shape.size(), 0);
  for (std::size_t i = 0; i < place.size(); ++i) {
    counts.push_back((array.shape[i] - 1) / array.chunks[i] + 1);
  }
  do {
    Tensor to = out;
    for (std::size_t i = 0; i < place.size(); ++i) {
      const std::int64_t begin = place[i] * array.chunks[i];
      to = to.narrow(static_cast<std::int64_t>(i), begin,
                     std::min(array.chunks[i], array.shape[i] - begin));
    }
    const auto packed = store(key_of(array, place));
    if (!packed) {
      to.fill_(fill);
      continue;
    }
    Tensor from = chunk_of(array, *packed);
    for (std::size_t i = 0; i < place.size(); ++i) {
      from = from.narrow(static_cast<std::int64_t>(i), 0, to.size(static_cast<std::int64_t>(i)));
    }
    to.copy_(from);
  } while (advance(place, counts));
  return out;
}

}  // namespace

Tensor read_zarr(const ZarrStore& store, const std::string& name) {
  try {
    return read_array(store, name);
  } catch (const Error& error) {
    throw in_place("array '" + name + "'", error);
  }
}

}  // namespace kd::io
