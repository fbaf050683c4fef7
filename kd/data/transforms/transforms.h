// Transforms: the steps of a pipeline. Each takes a record, a dict of elements, and gives one back.
//
//   struct Invert {                                           // one's own
//     Required<data::ElementKey> key;
//     Tensor map_element(const Tensor& x) const { return 255 - x; }
//   };
//   KD_COMPONENT(kd::Transform, Invert);
//
// kd/data/engine/transform.h says what else a transform may have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/dtype.h"
#include "kd/core/interfaces.h"
#include "kd/core/tensor_fwd.h"
#include "kd/data/transforms/element_key.h"
#include "kd/data/transforms/resize_method.h"

namespace kd {
class Tree;
}

namespace kd::data {

enum class Backend;

// Keeps, renames or drops elements of each example.
struct Elements {
  std::vector<std::string> keep = {};  // names kept as they are; all when neither keep nor drop
  std::vector<std::string> drop = {};  // names left out
  Map<std::string> rename = {};        // old name to new name
  Map<std::string> copy = {};          // old name to new name, the old one stays

  static constexpr bool maps_batches = true;
  void check() const;
  bool keeps_elements() const { return rename.empty() && copy.empty(); }
  Tree map(Tree record) const;
};

// Changes the element type.
struct Cast {
  Required<ElementKey> key;  // the elements
  Required<DType> dtype;     // "float32", "uint8", ...

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// Maps values from one range to another.
struct ValueRange {
  Required<ElementKey> key;                        // the elements
  Required<std::pair<double, double>> vrange;      // range of the output
  std::pair<double, double> in_vrange = {0, 255};  // range of the input
  DType dtype = DType::float32;                    // of the output; the input is cast to it first
  bool clip_values = true;                         // values outside are cut off

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// Reorders, splits and joins dimensions: "h w c -> (h w) c".
struct Rearrange {
  Required<ElementKey> key;       // the elements
  Required<std::string> pattern;  // in the notation of einops
  Map<int> axes_lengths = {};     // sizes that do not follow from the element

  Tensor map_element(const Tensor& element) const;
  Tensor map_batch_element(const Tensor& elements) const;
};

// Another shape for the same numbers.
struct Reshape {
  Required<ElementKey> key;                   // the elements
  Required<std::vector<std::int64_t>> shape;  // of the result; -1 once: what is left

  Tensor map_element(const Tensor& element) const;
  Tensor map_batch_element(const Tensor& elements) const;
};

// Takes some entries along a dimension.
struct Gather {
  Required<ElementKey> key;                     // the elements
  Required<int> axis;                           // the dimension; -1 is the last one
  Required<std::vector<std::int64_t>> indices;  // which entries, in which order

  Tensor map_element(const Tensor& element) const;
  Tensor map_batch_element(const Tensor& elements) const;
};

// Changes the size of images, "... h w c". Exactly one of the sizes is given.
struct Resize {
  Required<ElementKey> key;                      // the elements
  std::optional<std::pair<int, int>> size = {};  // height and width
  std::optional<int> min_size = {};              // of the shorter side; the other one follows
  std::optional<int> max_size = {};              // of the longer side; the other one follows
  // nearest, bilinear, bicubic, lanczos3, lanczos5; in kd.data.tf also area, gaussian and
  // mitchellcubic. None: nearest for whole numbers, else bilinear (kd.data.tf: area).
  std::optional<ResizeMethod> method = {};
  bool antialias = true;  // smooths when shrinking

  static constexpr bool maps_batches = true;
  void check() const;
  Tensor map_element(const Tensor& element, Backend backend) const;
  std::pair<std::int64_t, std::int64_t> new_size(std::int64_t height, std::int64_t width) const;
};

// Cuts the middle out.
struct CenterCrop {
  Required<ElementKey> key;                         // the elements
  Required<std::vector<std::optional<int>>> shape;  // None or 0: the dimension stays

  Tensor map_element(const Tensor& element) const;
  Tensor map_batch_element(const Tensor& elements) const;
};

// Replaces a dict of elements by its leaves: "camera_pose" for {"camera": {"pose": ..}}.
struct TreeFlattenWithPath {
  Required<ElementKey> key;     // the elements
  std::string separator = "_";  // between the names

  static constexpr bool maps_batches = true;
  Tree map(Tree record) const;
};

// Adds elements that are the same in every record.
struct AddConstants {
  Map<konfig::Value> values = {};  // numbers, texts, lists and dicts by name

  Tree map(Tree record) const;
};

}  // namespace kd::data

KONFIG_COMPONENT(kd::Transform, kd::data::Elements, "kauldron.kd:data.Elements",
                 "kauldron.kd:data.py.Elements", "kauldron.kd:data.tf.Elements");
KONFIG_COMPONENT(kd::Transform, kd::data::Cast, "kauldron.kd:data.Cast", "kauldron.kd:data.py.Cast",
                 "kauldron.kd:data.tf.Cast");
KONFIG_COMPONENT(kd::Transform, kd::data::ValueRange, "kauldron.kd:data.ValueRange",
                 "kauldron.kd:data.py.ValueRange", "kauldron.kd:data.tf.ValueRange");
KONFIG_COMPONENT(kd::Transform, kd::data::Rearrange, "kauldron.kd:data.Rearrange",
                 "kauldron.kd:data.py.Rearrange", "kauldron.kd:data.tf.Rearrange");
KONFIG_COMPONENT(kd::Transform, kd::data::Reshape);
KONFIG_COMPONENT(kd::Transform, kd::data::Gather, "kauldron.kd:data.Gather",
                 "kauldron.kd:data.py.Gather", "kauldron.kd:data.tf.Gather");
KONFIG_COMPONENT(kd::Transform, kd::data::Resize, "kauldron.kd:data.Resize",
                 "kauldron.kd:data.py.Resize");
KONFIG_COMPONENT(kd::Transform, kd::data::CenterCrop, "kauldron.kd:data.CenterCrop",
                 "kauldron.kd:data.py.CenterCrop", "kauldron.kd:data.tf.CenterCrop");
KONFIG_COMPONENT(kd::Transform, kd::data::TreeFlattenWithPath,
                 "kauldron.kd:data.TreeFlattenWithPath", "kauldron.kd:data.py.TreeFlattenWithPath",
                 "kauldron.kd:data.tf.TreeFlattenWithPath");
KONFIG_COMPONENT(kd::Transform, kd::data::AddConstants, "kauldron.kd:data.AddConstants",
                 "kauldron.kd:data.py.AddConstants", "kauldron.kd:data.tf.AddConstants",
                 "kauldron.kd:contrib.data.AddConstants", "kauldron.contrib.data:AddConstants");
