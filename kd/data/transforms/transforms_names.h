// Transforms that add elements or name them anew, as in the reference's contrib.
#pragma once

#include <optional>
#include <string>

#include "kd/data/transforms/transforms.h"

namespace kd::data::contrib {

// 1 where the numbers are within a range, else 0, as "<key>_mask".
struct CreateRangeMask {
  Required<std::string> key;                   // the element
  std::optional<std::string> mask_key = {};    // the element that is looked at instead
  std::optional<std::string> target_key = {};  // "<target_key>_mask" is written instead
  Required<double> min_value;                  // smaller numbers are masked out
  Required<double> max_value;                  // greater numbers are masked out

  Tree map(Tree record) const;
};

// 1 where the numbers are the given one, else 0, as "<key>_mask".
struct CreateNonEqualMask {
  Required<std::string> key;                   // the element
  std::optional<std::string> mask_key = {};    // the element that is looked at instead
  std::optional<std::string> target_key = {};  // "<target_key>_mask" is written instead
  Required<double> mask_value;                 // all others are masked out

  Tree map(Tree record) const;
};

// The column and row of each pixel, (1, h, w, 2), as "<key>_mask".
struct CreateMeshGridMask {
  Required<std::string> key;                   // the element: "... h w c"
  std::optional<std::string> mask_key = {};    // the element that is looked at instead
  std::optional<std::string> target_key = {};  // "<target_key>_mask" is written instead

  Tree map(Tree record) const;
};

// Adds a text.
struct AddStringField {
  Required<std::string> key;        // the element
  Required<std::string> value;      // the text
  bool overwrite_existing = false;  // an element of this name may be there

  Tree map(Tree record) const;
};

// Undoes TreeFlattenWithPath: {"a_b": 1, "a_c": 2} becomes {"a": {"b": 1, "c": 2}}.
struct TreeUnflattenForKey {
  Required<std::string> key;    // "a"
  std::string separator = "_";  // between the names

  Tree map(Tree record) const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::CreateRangeMask,
                 "kauldron.contrib.data:CreateRangeMask",
                 "kauldron.kd:contrib.data.CreateRangeMask");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::CreateNonEqualMask,
                 "kauldron.contrib.data:CreateNonEqualMask",
                 "kauldron.kd:contrib.data.CreateNonEqualMask");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::CreateMeshGridMask,
                 "kauldron.contrib.data:CreateMeshGridMask",
                 "kauldron.kd:contrib.data.CreateMeshGridMask");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::AddStringField,
                 "kauldron.contrib.data:AddStringField", "kauldron.kd:contrib.data.AddStringField");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::TreeUnflattenForKey,
                 "kauldron.contrib.data:TreeUnflattenForKey",
                 "kauldron.kd:contrib.data.TreeUnflattenForKey");
