// The features of a prepared TFDS folder: how its examples become records.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kd/core/tree.h"
#include "kd/data/formats.h"
#include "kd/io/example.h"
#include "kd/io/image.h"
#include "konfig/value.h"

namespace kd::data {

struct TfdsFeature {
  enum class Kind { dict, image, label, text, tensor, sequence };
  enum class Encoding { none, bytes, zlib };
  Kind kind = Kind::tensor;
  std::string dtype = "int64";                       // "uint8", "float32", "string", ...
  std::vector<std::int64_t> shape = {};              // -1: any
  Encoding encoding = Encoding::none;                // of a tensor
  std::map<std::string, TfdsFeature> children = {};  // of a dict; of a sequence one, ""
};

// From the content of features.json; `name` is for messages. A class of features that is not known
// is an Error which names it.
TfdsFeature parse_tfds_features(const konfig::Value& json, const std::string& name);

// A record of an example; elements of a dict "a" are stored as "a/b".
Tree decode_tfds(const Example& example, const TfdsFeature& feature, const std::string& name);
// The same, of the image `element` only a part.
Tree decode_tfds_part(const Example& example, const TfdsFeature& feature, const std::string& name,
                      const std::string& element, const ChooseBox& choose);

}  // namespace kd::data
