// Reading features.json.
#include "kd/data/engine/tfds_features.h"

#include "base/number_in.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/enum_name.h"

namespace kd::data {

using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

const Dict* dict_at(const Dict& dict, const char* name) {
  auto* found = dict.find(name);
  return found ? found->get_if<Dict>() : nullptr;
}

std::string text_at(const Dict& dict, const char* name, const std::string& otherwise) {
  auto* found = dict.find(name);
  auto* text = found ? found->get_if<std::string>() : nullptr;
  return text ? *text : otherwise;
}

// Numbers are texts here: "28".
std::int64_t number_of(const Value& value, const std::string& name) {
  if (auto* number = value.get_if<std::int64_t>()) return *number;
  if (auto* text = value.get_if<std::string>()) {
    if (auto number = base::number_in<std::int64_t>(*text)) return *number;
  }
  throw Error(ErrorKind::value, name + ": a dimension is a number, not " + value.repr());
}

std::vector<std::int64_t> shape_of(const Dict& feature, const std::string& name) {
  std::vector<std::int64_t> out;
  const Dict* shape = dict_at(feature, "shape");
  auto* list = shape ? shape->find("dimensions") : nullptr;
  if (!list) return out;
  if (!list->is<List>()) throw Error(ErrorKind::value, name + ": a shape is a list of dimensions");
  std::int64_t size = 1;
  for (const Value& n : list->as<List>()) {
    out.push_back(number_of(n, name));
    const std::int64_t known = out.back() < 0 ? 1 : out.back();
    constexpr std::int64_t kMost = std::int64_t{1} << 48;  // so that sizes in bytes are numbers
    if (__builtin_mul_overflow(size, known, &size) || size > kMost) {
      throw Error(ErrorKind::value, name + ": the shape is larger than any memory");
    }
  }
  return out;
}

TfdsFeature::Encoding encoding_of(const Dict& tensor, const std::string& name) {
  const std::string text = text_at(tensor, "encoding", "none");
  if (auto known = konfig::enum_named<TfdsFeature::Encoding>(text)) return *known;
  throw Error(ErrorKind::value,
              name + ": encoding: expected none, bytes or zlib, got '" + text + "'");
}

TfdsFeature parse(const Dict& json, const std::string& name, int depth) {
  using Kind = TfdsFeature::Kind;
  constexpr int kMostDepth = 100;
  if (depth > kMostDepth)
    throw Error(ErrorKind::value, name + ": the features are nested too deeply");
  if (const Dict* inner = dict_at(json, "featuresDict")) {
    TfdsFeature out{.kind = Kind::dict};
    const Dict* features = dict_at(*inner, "features");
    if (!features) return out;
    for (auto& [key, value] : *features) {
      const std::string child = key.as<std::string>();
      auto* part = value.get_if<Dict>();
      if (!part) throw Error(ErrorKind::value, name + ": '" + child + "' is no feature");
      out.children[child] = parse(*part, name + ": " + child, depth + 1);
    }
    return out;
  }
  if (const Dict* image = dict_at(json, "image")) {
    return {.kind = Kind::image,
            .dtype = text_at(*image, "dtype", "uint8"),
            .shape = shape_of(*image, name)};
  }
  if (dict_at(json, "classLabel")) return {.kind = Kind::label};
  if (dict_at(json, "text")) return {.kind = Kind::text, .dtype = "string"};
  if (dict_at(json, "boundingBox") || dict_at(json, "bboxFeature")) {
    return {.kind = Kind::tensor, .dtype = "float32", .shape = {4}};
  }
  if (const Dict* tensor = dict_at(json, "tensor")) {
    return {.kind = Kind::tensor,
            .dtype = text_at(*tensor, "dtype", "int64"),
            .shape = shape_of(*tensor, name),
            .encoding = encoding_of(*tensor, name)};
  }
  if (const Dict* sequence = dict_at(json, "sequence")) {
    const Dict* inner = dict_at(*sequence, "feature");
    if (!inner) throw Error(ErrorKind::value, name + ": a sequence has a feature");
    TfdsFeature out{.kind = Kind::sequence};
    out.children[""] = parse(*inner, name, depth + 1);
    return out;
  }
  throw Error(ErrorKind::unsupported, name + ": features of class " +
                                          text_at(json, "pythonClassName", "(none)") +
                                          " are not known; name the others in `features`");
}

}  // namespace

TfdsFeature parse_tfds_features(const Value& json, const std::string& name) {
  auto* dict = json.get_if<Dict>();
  if (!dict) throw Error(ErrorKind::value, name + ": it holds no features");
  return parse(*dict, name, 0);
}

}  // namespace kd::data
