// Errors with the place of a field in front.
#pragma once

#include "konfig/error.h"

namespace kd::train {

// What `f` gives; an Error that it throws starts with the place: "train_ds".
template <class F>
auto within(const char* place, const F& f) {
  try {
    return f();
  } catch (const konfig::Error& e) {
    throw e.within(place);
  }
}

}  // namespace kd::train
