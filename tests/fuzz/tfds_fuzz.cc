// Fuzz target: a line of JSON as features.json, and the rest as an example with these features.
#include "kd/data/engine/tfds_features.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const std::size_t end = std::min(text.find('\n'), text.size());
  fuzz::only_errors([&] {
    const auto features =
        kd::data::parse_tfds_features(konfig::parse_json(text.substr(0, end)), "features.json");
    const std::string bytes = text.substr(std::min(end + 1, text.size()));
    const auto example = kd::io::parse_example(bytes, "f");
    kd::data::decode_tfds(example, features, "f");
    if (features.kind != kd::data::TfdsFeature::Kind::dict || features.children.empty()) return;
    kd::data::decode_tfds_part(example, features, "f", features.children.begin()->first,
                               [](std::int64_t height, std::int64_t width) {
                                 return kd::io::ImageBox{0, 0, height / 2, width / 2};
                               });
  });
  return 0;
}
