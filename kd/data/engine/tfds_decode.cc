// Examples as records, by their features.
#include <ATen/ops/empty.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kd/core/dtype_name.h"
#include "kd/data/engine/tfds_features.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "kd/io/image.h"

namespace kd::data {

namespace {

using Kind = TfdsFeature::Kind;
using Texts = std::vector<std::string_view>;

at::ScalarType dtype_of(const TfdsFeature& feature, const std::string& name) {
  const auto dtype = dtype_named(feature.dtype);
  if (dtype && !c10::isComplexType(*dtype)) return *dtype;
  throw Error(ErrorKind::unsupported, name + ": elements of type '" + feature.dtype + "'");
}

const ExampleValues& values_at(const Example& example, const std::string& key,
                               const std::string& name) {
  static const ExampleValues kNone;
  auto found = example.find(key);
  if (found != example.end()) return found->second;
  throw Error(ErrorKind::key, name + ": the example has no '" + key + "'");
}

// The one dimension that is not known follows from the number of values.
std::vector<std::int64_t> shape_for(std::vector<std::int64_t> shape, std::size_t count,
                                    const std::string& name) {
  std::int64_t known = 1, unknown = 0;
  for (std::int64_t n : shape) n < 0 ? void(++unknown) : void(known *= n);
  const auto total = static_cast<std::int64_t>(count);
  const bool fits = unknown == 0   ? known == total
                    : unknown == 1 ? known > 0 && total % known == 0
                                   : false;
  if (!fits) {
    throw Error(ErrorKind::value, name + ": " + std::to_string(total) +
                                      " values do not fit the shape of the feature");
  }
  for (std::int64_t& n : shape) {
    if (n < 0) n = total / known;
  }
  return shape;
}

std::string inflate_all(std::string_view packed, std::size_t size, const std::string& name) {
  std::string out(size, '\0');
  uLongf n = size;
  const int code = ::uncompress(reinterpret_cast<Bytef*>(out.data()), &n,
                                reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  if (code != Z_OK || n != size)
    throw Error(ErrorKind::value, name + ": the packed values are damaged");
  return out;
}

Tensor from_bytes(const TfdsFeature& feature, std::string_view bytes, const std::string& name) {
  const at::ScalarType dtype = dtype_of(feature, name);
  std::string unpacked;
  if (feature.encoding == TfdsFeature::Encoding::zlib) {
    std::int64_t count = 1;
    for (std::int64_t n : feature.shape) count *= n;
    if (count < 0 || static_cast<std::uint64_t>(count) / 1032 > bytes.size()) {
      throw Error(ErrorKind::value, name + ": packed values need a known shape");
    }
    unpacked = inflate_all(bytes, static_cast<std::size_t>(count) * c10::elementSize(dtype), name);
    bytes = unpacked;
  }
  Tensor out =
      at::empty(shape_for(feature.shape, bytes.size() / c10::elementSize(dtype), name), dtype);
  std::memcpy(out.mutable_data_ptr(), bytes.data(), out.nbytes());
  return out;
}

Tensor decode_tensor(const TfdsFeature& feature, const ExampleValues& values,
                     const std::string& name) {
  const at::ScalarType dtype = dtype_of(feature, name);
  if (auto* texts = std::get_if<Texts>(&values);
      texts && feature.encoding != TfdsFeature::Encoding::none) {
    if (texts->size() != 1) throw Error(ErrorKind::value, name + ": one value was expected");
    return from_bytes(feature, texts->front(), name);
  }
  auto copy = [&](auto& list, at::ScalarType stored) {
    Tensor out = at::empty(shape_for(feature.shape, list.size(), name), stored);
    if (!list.empty()) std::memcpy(out.mutable_data_ptr(), list.data(), out.nbytes());
    return out.to(dtype);
  };
  if (auto* floats = std::get_if<std::vector<float>>(&values)) return copy(*floats, at::kFloat);
  if (auto* numbers = std::get_if<std::vector<std::int64_t>>(&values))
    return copy(*numbers, at::kLong);
  // A list without values does not say what it would hold.
  if (std::get<Texts>(values).empty()) {
    return copy(std::get<Texts>(values), dtype);
  }
  throw Error(ErrorKind::type, name + ": numbers were expected, there are bytes");
}

void check_picture(const TfdsFeature& feature, std::size_t dim, std::int64_t size,
                   const std::string& name) {
  if (dim >= feature.shape.size() || feature.shape[dim] < 0 || feature.shape[dim] == size) return;
  throw Error(ErrorKind::value, name + ": the picture has " + std::to_string(size) +
                                    " along dimension " + std::to_string(dim) + ", the feature " +
                                    std::to_string(feature.shape[dim]));
}

// All of it, unless a part is chosen.
Tensor decode_picture(const TfdsFeature& feature, const ExampleValues& values,
                      const std::string& name, const ChooseBox& choose = nullptr) {
  auto* texts = std::get_if<Texts>(&values);
  if (!texts || texts->size() != 1)
    throw Error(ErrorKind::value, name + ": one picture was expected");
  const auto& shape = feature.shape;
  const bool deep = feature.dtype == "uint16";
  if (!deep && feature.dtype != "uint8") {
    throw Error(ErrorKind::unsupported, name + ": pictures of " + feature.dtype);
  }
  const int channels = shape.size() == 3 && shape[2] > 0 ? static_cast<int>(shape[2]) : 0;
  const auto check_sides = [&](std::int64_t height, std::int64_t width) {
    check_picture(feature, 0, height, name);
    check_picture(feature, 1, width, name);
  };
  if (choose && !deep) {
    return decode_image_part(texts->front(), channels, name,
                             [&](std::int64_t height, std::int64_t width) {
                               check_sides(height, width);
                               return choose(height, width);
                             });
  }
  const Tensor out = decode_image(texts->front(), channels, name, deep);
  check_sides(out.size(0), out.size(1));
  check_picture(feature, 2, out.size(2), name);
  return choose ? part_of(out, choose) : out;
}

Tree decode_texts(const ExampleValues& values, const std::string& name, bool many) {
  auto* texts = std::get_if<Texts>(&values);
  if (!texts || (!many && texts->size() != 1)) {
    throw Error(ErrorKind::value, name + ": a text was expected");
  }
  return Tree(Tree::Texts(texts->begin(), texts->end()));
}

Tree decode(const Example& example, const TfdsFeature& feature, const std::string& key,
            const std::string& name);

// Sequences are stored element behind element.
Tree decode_sequence(const Example& example, const TfdsFeature& inner, const std::string& key,
                     const std::string& name) {
  if (inner.kind == Kind::dict) {
    Tree out = Tree::dict();
    for (auto& [child, feature] : inner.children) {
      const std::string path = key.empty() ? child : key + "/" + child;
      out[child] = decode_sequence(example, feature, path, name + "/" + child);
    }
    return out;
  }
  const ExampleValues& values = values_at(example, key, name);
  if (inner.kind == Kind::text || inner.dtype == "string") return decode_texts(values, name, true);
  if (inner.kind == Kind::image) {
    std::vector<Tree> out;
    auto* pictures = std::get_if<Texts>(&values);
    if (!pictures) throw Error(ErrorKind::value, name + ": pictures were expected");
    for (std::string_view picture : *pictures) {
      out.emplace_back(decode_picture(inner, Texts{picture}, name));
    }
    return Tree::list(std::move(out));
  }
  if (inner.kind == Kind::sequence) {
    throw Error(ErrorKind::unsupported, name + ": sequences of sequences");
  }
  TfdsFeature whole = inner;
  whole.kind = Kind::tensor;
  whole.shape.insert(whole.shape.begin(), -1);
  return decode_tensor(whole, values, name);
}

Tree decode(const Example& example, const TfdsFeature& feature, const std::string& key,
            const std::string& name) {
  switch (feature.kind) {
    case Kind::dict: {
      Tree out = Tree::dict();
      for (auto& [child, inner] : feature.children) {
        const std::string path = key.empty() ? child : key + "/" + child;
        out[child] = decode(example, inner, path, name + ": " + child);
      }
      return out;
    }
    case Kind::sequence:
      return decode_sequence(example, feature.children.at(""), key, name);
    case Kind::image:
      return decode_picture(feature, values_at(example, key, name), name);
    case Kind::text:
      return decode_texts(values_at(example, key, name), name, false);
    case Kind::label:
    case Kind::tensor:
      break;
  }
  const ExampleValues& values = values_at(example, key, name);
  if (feature.dtype == "string") return decode_texts(values, name, !feature.shape.empty());
  return decode_tensor(feature, values, name);
}

}  // namespace

Tree decode_tfds(const Example& example, const TfdsFeature& feature, const std::string& name) {
  return decode(example, feature, "", name);
}

Tree decode_tfds_part(const Example& example, const TfdsFeature& feature, const std::string& name,
                      const std::string& element, const ChooseBox& choose) {
  Tree out = Tree::dict();
  for (auto& [child, inner] : feature.children) {
    const std::string place = name + ": " + child;
    out[child] = child == element
                     ? Tree(decode_picture(inner, values_at(example, child, place), place, choose))
                     : decode(example, inner, child, place);
  }
  return out;
}

}  // namespace kd::data
