#include "kd/data/engine/tfds_features.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/json.h"

namespace kd::data {
namespace {

TfdsFeature tensor(const std::string& encoding) {
  return parse_tfds_features(
      konfig::parse_json(R"({"tensor": {"dtype": "int64", "encoding": ")" + encoding + R"("}})"),
      "features.json");
}

TEST(TfdsFeatures, EncodingsOfTensors) {
  EXPECT_EQ(tensor("none").encoding, TfdsFeature::Encoding::none);
  EXPECT_EQ(tensor("bytes").encoding, TfdsFeature::Encoding::bytes);
  EXPECT_EQ(tensor("zlib").encoding, TfdsFeature::Encoding::zlib);
  EXPECT_EQ(konfig::error_of([] { tensor("lzma"); }),
            "features.json: encoding: expected none, bytes or zlib, got 'lzma'");
}

}  // namespace
}  // namespace kd::data
