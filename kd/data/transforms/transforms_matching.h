// Transforms of all elements with certain names, as in the reference's contrib:
//
//  kd.contrib.data.FlipUpsideDown.matching_keys(strs=["image", "rgb"])
//
// The reference's classes themselves take a Python function that chooses the elements, which cannot
// be called here.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kd/data/transforms/resize_method.h"
#include "kd/data/transforms/transforms.h"

namespace kd::data::contrib {

// One text, or several.
struct Parts : std::variant<std::string, std::vector<std::string>> {
  static constexpr std::string_view konfig_name = "a text or a list of texts";
  using variant::variant;
  Parts() : variant(std::vector<std::string>()) {}
  Parts(std::initializer_list<std::string> list) : variant(std::vector<std::string>(list)) {}
  std::vector<std::string> list() const {
    if (auto* one = std::get_if<std::string>(this)) return {*one};
    return std::get<std::vector<std::string>>(*this);
  }
};

// Flips images, "... h w c", upside down.
struct FlipUpsideDown {
  static constexpr std::string_view konfig_raw_fields[] = {"should_transform_pred"};

  konfig::Value should_transform_pred = {};  // must be None: see matching_keys
  Parts strs = {};                           // elements whose name contains one of these
  Parts strs_to_exclude = {};                // and none of these

  void check() const;
  Tree map(Tree record) const;
};

// As kd.data.ValueRange.
struct ValueRange {
  static constexpr std::string_view konfig_raw_fields[] = {"should_transform_pred"};

  konfig::Value should_transform_pred = {};        // must be None: see matching_keys
  Required<std::pair<double, double>> vrange;      // range of the output
  std::pair<double, double> in_vrange = {0, 255};  // range of the input
  DType dtype = DType::float32;                    // of the output; the input is cast to it first
  bool clip_values = true;                         // values outside are cut off
  Parts strs = {};                                 // elements whose name contains one of these
  Parts strs_to_exclude = {};                      // and none of these

  void check() const;
  Tree map(Tree record) const;
};

// As kd.data.tf.Resize.
struct Resize {
  static constexpr std::string_view konfig_raw_fields[] = {"should_transform_pred"};

  konfig::Value should_transform_pred = {};  // must be None: see matching_keys
  Required<int> height;                      // of the result
  Required<int> width;                       // of the result
  ResizeMethod method = ResizeMethod::AUTO;  // AUTO: nearest for whole numbers, else area
  Parts strs = {};                           // elements whose name contains one of these
  Parts strs_to_exclude = {};                // and none of these

  void check() const;
  Tree map(Tree record) const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::FlipUpsideDown,
                 "kauldron.contrib.data:FlipUpsideDown", "kauldron.kd:contrib.data.FlipUpsideDown");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::ValueRange, "kauldron.contrib.data:ValueRange",
                 "kauldron.kd:contrib.data.ValueRange");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::Resize, "kauldron.contrib.data:Resize",
                 "kauldron.kd:contrib.data.Resize");
