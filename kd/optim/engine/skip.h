// Tells whether MultiSteps leaves a step out.
//
// Your own is a struct with fields and `optim::Skip operator()(const Tree& grads) const`:
//
//   KD_COMPONENT(kd::SkipFn, SkipOutliers);
#pragma once

#include "kd/core/implement.h"
#include "kd/core/tree.h"
#include "kd/optim/wrappers.h"

namespace kd {

namespace optim {
struct Skip {
  bool skip = false;
  Tree state = {};  // kept in the state of MultiSteps, to be looked at
};

struct SkipOps {
  Skip (*skip)(const void* self, const Tree& grads);
};
}  // namespace optim

template <>
struct Implement<SkipFn> {
  using Ops = optim::SkipOps;
  template <class T>
  static optim::Skip run(const void* self, const Tree& grads) {
    return (*static_cast<const T*>(self))(grads);
  }
  template <class T>
  static constexpr Ops ops = {&run<T>};
};

}  // namespace kd
