// Step: a transform ready to be called, whatever its type.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/core/tree.h"
#include "kd/data/formats.h"
#include "kd/data/order/generator.h"
#include "kd/data/transforms/transforms.h"
#include "kd/data/transforms/transforms_py.h"
#include "kd/io/image.h"

namespace kd::data {

// Whose rules hold where the reference's two backends differ.
enum class Backend { py, tf };

// The first half of a random transform, and the second: only a part of one image is kept.
struct Cut {
  std::string element;
  std::function<ImageBox(std::int64_t height, std::int64_t width, const Generator&)> box;
  std::function<Tree(Tree)> rest;
};

// A transform ready to be called; one of the functions is set, or `slice`.
struct Step {
  std::string name;  // "kd::data::ValueRange"
  std::function<Tree(Tree)> map = {};
  std::function<Tree(Tree)> map_batch = {};  // besides `map`, where it can be had
  std::function<Tree(Tree, const Generator&)> random_map = {};
  std::function<bool(const Tree&)> filter = {};
  std::function<std::vector<Tree>(const Tree&)> split = {};  // as many records of each
  std::optional<py::SliceDataset> slice = {};
  std::optional<Cut> cut = {};  // besides `random_map`, where it can be had
  bool keeps_elements = false;  // `map` leaves out elements at most
};

struct TransformOps {
  Step (*bind)(std::shared_ptr<const void> transform, Backend backend);
};

Step bind(const Poly<Transform>& transform, Backend backend = Backend::py);

// Calls `fn` on the elements that `key` names; an Error when there is none of them.
Tree map_elements(const ElementKey& key, Tree record, const std::function<Tree(const Tree&)>& fn);
Tree map_tensors(const ElementKey& key, Tree record,
                 const std::function<Tensor(const Tensor&)>& fn);

}  // namespace kd::data
