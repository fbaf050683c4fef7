// The reference's matching_keys: transforms whose elements are chosen by name.
#include "kd/data/transforms/transforms_matching.h"
#include "konfig/copy_fields.h"
#include "konfig/register.h"

namespace kd::data::contrib {

// Names of elements with images.
const Parts kImages = {"img", "image", "rgb"};

template <class Transform, class Keys>
static Transform matching(const Keys& keys) {
  Transform out;
  konfig::copy_fields(keys, out);
  return out;
}

struct FlipKeys {
  Parts strs = kImages;
  Parts strs_to_exclude = {};
};
static FlipUpsideDown flip_matching(const FlipKeys& keys) { return matching<FlipUpsideDown>(keys); }

struct RangeKeys {
  Required<std::pair<double, double>> vrange;
  std::pair<double, double> in_vrange = {0, 255};
  DType dtype = DType::float32;
  bool clip_values = true;
  Parts strs = kImages;
  Parts strs_to_exclude = {};
};
static ValueRange range_matching(const RangeKeys& keys) { return matching<ValueRange>(keys); }

struct ResizeKeys {
  Required<int> height;
  Required<int> width;
  ResizeMethod method = ResizeMethod::AUTO;
  Parts strs = kImages;
  Parts strs_to_exclude = {};
};
static Resize resize_matching(const ResizeKeys& keys) { return matching<Resize>(keys); }

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
