// Transforms of the reference's kd.data.tf.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kd/data/transforms/transforms.h"

namespace kd::io {
struct ImageBox;
}
namespace kd::data {
class Generator;
using io::ImageBox;
}  // namespace kd::data

namespace kd::data::tf {

struct SeedPair;  // kd/data/order/tf_random.h

// Labels as vectors with one entry for each class.
struct OneHot {
  Required<ElementKey> key;   // the elements: whole numbers
  Required<int> num_classes;  // length of the vector
  bool multi = true;          // several labels give one vector; false: one vector each
  double on = 1.0;            // entry of the label's class
  double off = 0.0;           // entry of the others

  Tensor map_element(const Tensor& element) const;
};

// Images "... h w c" of a given size, without antialiasing.
struct Resize {
  Required<ElementKey> key;                  // the elements
  Required<int> height;                      // of the result
  Required<int> width;                       // of the result
  ResizeMethod method = ResizeMethod::AUTO;  // AUTO: nearest for whole numbers, else area

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// Resizes so that the shorter side gets this size and the shape stays.
struct ResizeSmall {
  Required<ElementKey> key;                  // the elements
  Required<int> smaller_size;                // of the shorter side
  ResizeMethod method = ResizeMethod::AUTO;  // AUTO: nearest for whole numbers, else area

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// A crop of random size and shape, as in the training of Inception models.
struct InceptionCrop {
  Required<ElementKey> key;                             // the elements
  std::optional<std::pair<int, int>> resize_size = {};  // height and width of the result
  ResizeMethod resize_method = ResizeMethod::bilinear;  // see Resize
  std::pair<double, double> area_range = {0.05, 1.0};   // part of the image that is kept

  Tensor random_map_element(const Tensor& element, Generator& rng) const;
  Tensor random_map_element(const Tensor& element, const SeedPair& seed) const;
  ImageBox cut_box(std::int64_t height, std::int64_t width, Generator& rng) const;
  Tensor after_cut(const Tensor& part) const;
};

// Cuts out a part at a random place; the last place is never taken, as in the reference.
struct RandomCrop {
  Required<ElementKey> key;                         // the elements
  Required<std::vector<std::optional<int>>> shape;  // None: the dimension stays

  void check() const;
  Tree random_map(Tree record, const Generator& rng) const;
  Tensor random_map_element(const Tensor& element, Generator& rng) const;
  Tensor random_map_element(const Tensor& element, const SeedPair& seed) const;
};

// Flips images, "... h w c", with probability one half; each image of a stack by itself.
struct RandomFlipLeftRight {
  Required<ElementKey> key;  // the elements

  Tensor random_map_element(const Tensor& element, Generator& rng) const;
  Tensor random_map_element(const Tensor& element, const SeedPair& seed) const;
};

using data::AddConstants;
using data::Cast;
using data::CenterCrop;
using data::Elements;
using data::Gather;
using data::Rearrange;
using data::TreeFlattenWithPath;
using data::ValueRange;

}  // namespace kd::data::tf

KONFIG_COMPONENT(kd::Transform, kd::data::tf::OneHot, "kauldron.kd:data.tf.OneHot");
KONFIG_COMPONENT(kd::Transform, kd::data::tf::Resize, "kauldron.kd:data.tf.Resize");
KONFIG_COMPONENT(kd::Transform, kd::data::tf::ResizeSmall, "kauldron.kd:data.tf.ResizeSmall");
KONFIG_COMPONENT(kd::Transform, kd::data::tf::InceptionCrop, "kauldron.kd:data.tf.InceptionCrop");
KONFIG_COMPONENT(kd::Transform, kd::data::tf::RandomCrop, "kauldron.kd:data.tf.RandomCrop");
KONFIG_COMPONENT(kd::Transform, kd::data::tf::RandomFlipLeftRight,
                 "kauldron.kd:data.tf.RandomFlipLeftRight");
