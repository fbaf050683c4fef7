// The reference's matching_keys: transforms whose elements are chosen by name.
#include "kd/data/transforms/transforms_matching.h"
#include "konfig/register.h"

namespace kd::data::contrib {

// Names of elements with images.
const Parts kImages = {"img", "image", "rgb"};

struct FlipKeys {
  Parts strs = kImages;
  Parts strs_to_exclude = {};
};
static FlipUpsideDown flip_matching(const FlipKeys& args) {
  return {.strs = args.strs, .strs_to_exclude = args.strs_to_exclude};
}

struct RangeKeys {
  Required<std::pair<double, double>> vrange;
  std::pair<double, double> in_vrange = {0, 255};
  DType dtype = DType::float32;
  bool clip_values = true;
  Parts strs = kImages;
  Parts strs_to_exclude = {};
};
static ValueRange range_matching(const RangeKeys& args) {
  return {.vrange = args.vrange,
          .in_vrange = args.in_vrange,
          .dtype = args.dtype,
          .clip_values = args.clip_values,
          .strs = args.strs,
          .strs_to_exclude = args.strs_to_exclude};
}

struct ResizeKeys {
  Required<int> height;
  Required<int> width;
  ResizeMethod method = ResizeMethod::AUTO;
  Parts strs = kImages;
  Parts strs_to_exclude = {};
};
static Resize resize_matching(const ResizeKeys& args) {
  return {.height = args.height,
          .width = args.width,
          .method = args.method,
          .strs = args.strs,
          .strs_to_exclude = args.strs_to_exclude};
}

}  // namespace kd::data::contrib

KONFIG_FUNCTION("kauldron.contrib.data:FlipUpsideDown.matching_keys",
                kd::data::contrib::flip_matching);
KONFIG_FUNCTION("kauldron.kd:contrib.data.FlipUpsideDown.matching_keys",
                kd::data::contrib::flip_matching);
KONFIG_FUNCTION("kauldron.contrib.data:ValueRange.matching_keys",
                kd::data::contrib::range_matching);
KONFIG_FUNCTION("kauldron.kd:contrib.data.ValueRange.matching_keys",
                kd::data::contrib::range_matching);
KONFIG_FUNCTION("kauldron.contrib.data:Resize.matching_keys", kd::data::contrib::resize_matching);
KONFIG_FUNCTION("kauldron.kd:contrib.data.Resize.matching_keys",
                kd::data::contrib::resize_matching);
