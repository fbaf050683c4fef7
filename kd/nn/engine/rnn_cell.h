// What RNN needs to know about a cell besides its call.
#pragma once

#include "kd/core/implement.h"
#include "kd/core/tensor.h"
#include "kd/nn/recurrent/recurrent.h"
#include "kontext/tree.h"

namespace kd::nn {

struct RnnCellOps {
  // The state before the first step, for an input of this shape.
  kontext::TreeRef (*initialize_carry)(const void* cell, const random::Key& key, CellShape shape);
  int (*num_feature_axes)(const void* cell);
};

}  // namespace kd::nn

template <>
struct kd::Implement<kd::nn::RnnCell> {
  using Ops = kd::nn::RnnCellOps;
  template <class T>
  static constexpr Ops ops = {
      [](const void* cell, const random::Key& key, nn::CellShape shape) {
        return kontext::TreeRef::own(static_cast<const T*>(cell)->initialize_carry(key, shape));
      },
      [](const void* cell) { return static_cast<const T*>(cell)->num_feature_axes(); }};
};
